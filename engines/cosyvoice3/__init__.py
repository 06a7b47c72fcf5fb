"""CosyVoice3: our own batched, memory-flat PyTorch runtime of Fun-CosyVoice3-0.5B. Importing the package loads no torch."""
