"""Words behind English signs and abbreviations: plain tables."""

from __future__ import annotations

STATES = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado", "CT": "Connecticut",
    "DE": "Delaware", "DC": "D C", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana",
    "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts",
    "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada",
    "NH": "New Hampshire", "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota",
    "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina",
    "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia", "WA": "Washington",
    "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
"""States by their postal codes."""

STATES_LIKE_WORDS = frozenset(("OK", "OR", "IN", "ME", "HI", "OH", "MA", "ID", "AL", "DE", "LA", "MS", "MD"))
"""Codes that are words, names or titles as well: states only before a postal code."""

STREETS = {
    "St": "Street", "st": "Street", "Ave": "Avenue", "Av": "Avenue", "Rd": "Road", "Blvd": "Boulevard", "Ln": "Lane", "Ct": "Court",
    "Expy": "Expressway", "Hwy": "Highway", "hwy": "Highway", "Pkwy": "Parkway", "Pl": "Place", "Sq": "Square", "Ter": "Terrace",
}  # fmt: skip
"""Kinds of streets, shortened."""

STREET_WORDS = "Street|Avenue|Road|Boulevard|Lane|Court|Expressway|Highway|Parkway|Place|Square|Terrace|Drive|Way|Crescent|Row|Gardens|Close"

DIRECTIONS = {"N": "North", "S": "South", "E": "East", "W": "West"}

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip

WEEKDAYS = {"Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday"}  # fmt: skip

BEFORE_NUMBERS = {
    "no": "number", "nos": "numbers", "p": "page", "pp": "pages", "vol": "volume", "vols": "volumes", "ch": "chapter", "chs": "chapters", "fig": "figure",
    "approx": "approximately", "ca": "circa", "art": "article", "sec": "section", "para": "paragraph", "ed": "edition", "op": "opus",
}  # fmt: skip
"""Abbreviations that are words only before a figure."""

UNITS = {
    "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"), "oz": ("ounce", "ounces"), "ft": ("foot", "feet"), "yd": ("yard", "yards"),
    "yds": ("yard", "yards"), "mi": ("mile", "miles"), "km": ("kilometer", "kilometers"), "cm": ("centimeter", "centimeters"),
    "mm": ("millimeter", "millimeters"), "μm": ("micrometer", "micrometers"), "µm": ("micrometer", "micrometers"), "nm": ("nanometer", "nanometers"),
    "kg": ("kilogram", "kilograms"), "KG": ("kilogram", "kilograms"), "mg": ("milligram", "milligrams"), "ml": ("milliliter", "milliliters"),
    "mph": ("mile per hour", "miles per hour"), "kph": ("kilometer per hour", "kilometers per hour"), "km/h": ("kilometer per hour", "kilometers per hour"),
    "m/s": ("meter per second", "meters per second"), "hrs": ("hour", "hours"), "hr": ("hour", "hours"), "mins": ("minute", "minutes"), "min": ("minute", "minutes"),
    "secs": ("second", "seconds"), "kW": ("kilowatt", "kilowatts"), "MW": ("megawatt", "megawatts"), "kWh": ("kilowatt hour", "kilowatt hours"),
    "Hz": ("hertz", "hertz"), "kHz": ("kilohertz", "kilohertz"), "MHz": ("megahertz", "megahertz"), "GHz": ("gigahertz", "gigahertz"),
    "GB": ("gigabyte", "gigabytes"), "MB": ("megabyte", "megabytes"), "KB": ("kilobyte", "kilobytes"), "TB": ("terabyte", "terabytes"), "dB": ("decibel", "decibels"),
    "rpm": ("revolution per minute", "revolutions per minute"), "sq ft": ("square foot", "square feet"), "sq. ft.": ("square foot", "square feet"), "sq mi": ("square mile", "square miles"),
    "°": ("degree", "degrees"), "°C": ("degree Celsius", "degrees Celsius"), "°F": ("degree Fahrenheit", "degrees Fahrenheit"), "mAh": ("milliamp hour", "milliamp hours"),
}  # fmt: skip
"""Unit signs, singular and plural."""

SQUARED = {"m": ("meter", "meters"), "km": ("kilometer", "kilometers"), "cm": ("centimeter", "centimeters"), "ft": ("foot", "feet"), "mi": ("mile", "miles"), "in": ("inch", "inches"), "yd": ("yard", "yards")}  # fmt: skip

KINGS = (
    "Henry|Edward|George|Charles|James|William|Richard|Louis|Elizabeth|Mary|Napoleon|Pius|John|Paul|Peter|Catherine|Philip|Frederick|Alexander|"
    "Nicholas|Ramses|Ramesses|Thutmose|Amenhotep|Seti|Ptolemy|Cleopatra|Darius|Xerxes|Artaxerxes|Ivan|Otto|Leo|Benedict|Gregory|Clement|Innocent|"
    "Urban|Boniface|Harold|Ferdinand|Leopold|Wilhelm|Gustav|Christian|Haakon|Olav|Alfonso|Felipe|Carlos|Mehmed|Murad|Selim|Suleiman|Baldwin|Stephen|Casimir|Sigismund|Matthias"
)
"""Names of rulers and popes: a Roman numeral after them is an ordinal."""

RULERS = "King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Sultan|Pharaoh|Prince|Duke|Shah"
"""Titles: a Roman numeral after title and name is an ordinal."""
