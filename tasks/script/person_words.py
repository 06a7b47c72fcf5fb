"""Words by which Chinese and English texts tell persons: surnames, titles, relatives, what a name lets one guess."""

from __future__ import annotations

import re

SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章云苏潘葛奚范彭郎鲁韦昌马苗凤方俞任袁柳"
    "鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于傅齐康伍余顾孟黄穆萧尹姚邵汪祁毛狄臧戴谈宋庞熊纪舒屈项祝董梁杜阮蓝闵席季"
    "麻贾路江童颜郭梅林钟徐邱骆高夏蔡田樊胡凌霍虞万柯卢莫房裘干解应宗丁邓郁洪包石崔龚程邢裴陆荣翁甄曲封储靳段焦"
    "谷车侯全班秋仲宁仇祖武符刘景詹龙叶司黎薄白怀蒲从索赖卓屠池乔闻党翟谭姬申冉桑桂牛寿边燕尚温庄晏柴瞿阎连艾向古易廖耿匡"
    "寇广东沃利师聂晁关肖洛墨慕楚凤"
)
TITLE_SURNAMES = "".join(sign for sign in SURNAMES if sign not in "于和从向全安时常方路从来车查连成毕应解索利后")
DOUBLE_SURNAMES = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|南宫|长孙|宇文|端木|轩辕|独孤|百里|夏侯|第五"
TITLES_M = "先生|老爷爷|老爷|少爷|公子|老头子?|老汉|大爷|爷爷|父亲|爸爸|爹|叔叔|大叔|伯伯|舅舅|哥哥|大哥|二哥|弟弟|师兄|师弟|和尚|道士|老人|老者|男人|男子|少年|青年|汉子|小伙子|男孩|丈夫|儿子|皇帝|将军|王爷|太监|书生|掌柜的?|大汉|老伯|外公|船夫|车夫"
TITLES_F = "小姐|太太|夫人|女士|姑娘|奶奶|母亲|妈妈|娘亲?|阿姨|婶婶|大婶|姐姐|大姐|妹妹|师姐|师妹|女人|女子|少女|女孩|妻子|女儿|皇后|娘娘|公主|丫鬟|丫头|老太太|老妇人|婆婆|大娘|大妈|外婆|老板娘|嫂子"
TITLES_N = "老师|医生|大夫|护士|司机|老板|警察|店员|店主|伙计|队长|校长|经理|主任|师傅|师父|教授|博士|局长|士兵|侍卫|管家|孩子|学生|同学|记者|律师|法官|船长|众人|大家|服务员|前台|保安"
HONORIFICS = (
    "先生|老爷|少爷|公子|大爷|爷爷|叔叔|大叔|伯伯|师兄|师弟|将军|掌柜的?|老伯|小姐|太太|夫人|女士|姑娘|奶奶|阿姨|婶婶|大婶|大姐|师姐|师妹|"
    "员外|大侠|道长|长老|捕头|知府|县令|大师|师太|前辈|庄主|堡主|镖头|大娘|大妈|嫂子|老师|医生|大夫|护士|司机|老板|警官|队长|校长|经理|主任|师傅|教授|博士|局长|管家|律师|法官|船长|嬷嬷"
)
TITLES = f"{TITLES_M}|{TITLES_F}|{TITLES_N}"
FEMALE_SIGNS = frozenset(
    "娜莉丽梅兰芳芬英花婷雪燕娟秀琴霞玲莲莹婉娥媛妍妮姗倩茜薇蓉菊芝嫣瑶璐珊怡蕾黛钗凤妹姐娘婆嫂姑姨妈女妃"
)
MALE_SIGNS = frozenset("刚强军勇伟峰磊涛龙虎彪雄豪杰武栋梁斌鹏飞兵刚爷叔伯哥弟爹汉公郎")
PEOPLE_EN = (
    r"[Tt]he\s(?:(?:old|young|little|tall|other|strange|fat|thin)\s)?(?:man|woman|boy|girl|lady|gentleman|captain|doctor|"
    r"teacher|king|queen|prince|princess|soldier|driver|waiter|waitress|stranger|keeper|nurse|clerk|guard)"
)
KIN = (
    "父亲|母亲|爸爸|妈妈|爸妈|父母|爸|妈|爹|娘|哥哥|姐姐|弟弟|妹妹|哥|姐|弟|妹|媳妇|老婆|老伴|丈夫|妻子|儿子|女儿|闺女|孙子|孙女|"
    "爷爷|奶奶|外公|外婆|叔叔|伯伯|舅舅|姑姑|姨妈|婶婶|嫂子|师父|师傅|师兄|师弟|师姐|师妹|岳父|岳母|女婿"
)


def guess_gender(name: str) -> str:
    """What a name or title lets one guess; empty where it tells nothing."""
    if re.search(rf"(?:{TITLES_F})$", name) or re.match(r"(?:Mrs|Ms|Miss|Lady|Aunt|Queen|Princess|Madam)\b", name):
        return "female"
    if re.search(rf"(?:{TITLES_M})$", name) or re.match(r"(?:Mr|Sir|Lord|Uncle|King|Prince|Father)\b", name):
        return "male"
    lowered = name.lower()
    if re.search(r"\b(?:woman|girl|mother|lady|wife|sister|aunt|daughter|queen|grandmother|waitress)$", lowered):
        return "female"
    if re.search(r"\b(?:man|boy|father|gentleman|husband|brother|uncle|son|king|grandfather|captain)$", lowered):
        return "male"
    signs = name[1:] or name
    female = sum(sign in FEMALE_SIGNS for sign in signs)
    male = sum(sign in MALE_SIGNS for sign in signs)
    return "female" if female > male else "male" if male > female else ""
