/**
 * Words of one meaning by family, in English and Russian, for the learned part of the guard: an order that uses another
 * verb than those it was trained with is still an order.
 *
 * Unlike the lexicon of the rules a family may be loose, since training tells what it is worth. A word may belong to
 * several; `*` stands for any ending, and `ё` is written `е`.
 */

export const families: Readonly<Record<string, string>> = {
  discard: `
    abandon* annul* aside bypass* cancel cancels circumve* cross discard* dismiss* disregar* ditch* drop dropping
    evade* evading flush forget forgetti* ignore ignored ignoring negate neglect* nullify* omit overlook* relinqui*
    rescind scrap scrapping shed sidestep* skip skipping strike struck toss unfollow* unlearn* unload unsay
    аннулиру* выброси* выгруз* выкинь* вычеркн* забей* забудь* забыв забывай* забыть зачеркн* игнор игнор* наплюй*
    обнули* обойди* обойти обходи* обходя опусти* отбрасы* отброси* отбросив отбросим отбрось* отзыва* отказыва*
    отлож* отпиши отрекис* отринь* отставь отступи* перечерк* плюнь* пренебре* проигнор* пропусти* сбрось*`,
  defy: `
    betray* break breaking defy defying disobey* overrid* overrul* overwrit* rebel* violate* violatin*
    бунтуй* взбунту* нарушай* нарушая нарушит* нарушь* ослушай* переопре* перепиш* переступ* перешагн*`,
  erase: `
    clear delete* deleting erase* purge* remove* removing reset* wipe* wiping
    отмени* отменить очисти* сброс сбрось* сотри* стереть удали*`,
  obey: `
    abide* adhere* adhering comply* complying conform* follow followin* heed* listen* obey*
    выполняй* выполнят* исполняй* повину* подчин* придержи* руководс* следова* следуй* слушай* слушать* соблюда*`,
  stop: `
    cease* halt* quit* stop stopped
    брось перестан* прекрат* хватит`,
  told: `
    assigned* configur* gave given loaded preloade* preset* programm* received taught told trained
    велел* вложил* дали загрузи* задал* задан* заложен* заложил* настрои* обучал* обучили получил* прописал*
    прописан* учили`,
  orders: `
    boss briefing clause clauses command commands directiv* don'ts dos duties duty guidance guidelin* handbook
    instruct* mandate* manual manuals norms obligati* order orders paragrap* policies policy principl* protocol*
    regulati* requirem* rule rulebook* rules rulez spec terms wishes
    директив* заповед* инструкт* инструкц* команд командам команды наставле* обязанно* памятк* политик* порядок
    правил правила правилам правилами правилах предписа* приказ* принцип* пункт пункта пункты распоряж* регламе*
    регламен* табличк* требован* указани* услови* устав устава установк* установок`,
  limits: `
    allowed approval* ban banned bans barrier* boundar* brakes cage censor* chains constrai* content* ethic* fence
    fences filter* filterin* forbid* forbidd* guardrai* inhibit* leash* limit limitati* limits lock locked locks
    moderati* moral* muzzle* nanny oversigh* permitte* polite* prohibit* restrict* safeguar* safety scruple*
    shackle* supervis* taboo*
    барьер* блокиров* запрет* запрети* запрещ* защит* клетк* контрол* лимит* модераци* морал* надзор* нельзя
    ограниче* оков* предохра* присмотр* проверок разреше* рамках рамки рамок табу тормоз* фильтр* цензур* шор этик*
    этич*`,
  prompt: `
    metaprom* preprom* prompt* sysprom*
    промпт* промт*`,
  system: `
    system systems
    система системе системн* системой системы`,
  hidden: `
    conceale* confiden* foundati* hidden initial initiall* internal* original original* secret secrets starting
    startup underlyi*
    базов* внутрен* изначал* исходн* начальн* первонач* секрет секретн* скрыт* служебн* стартов*`,
  prior: `
    above before beforeha* earlier existing foregoin* former old past precedin* previous* prior
    выше вышестоя* до перед предшест* предыду* прежн* прошл* ранее раньше сверху старые старых`,
  chat: `
    chat conversa* dialog* session thread
    беседе беседы диалог* переписк* разговор* сесси* чат чата чате`,
  all: `
    all any anything each every everythi* whatever
    весь все всем всех всю всякие любой любую любые любым любых`,
  reveal: `
    disclos* display* divulge* dump* echo expose* exposing leak leaking output* paste print printing recite* reveal*
    show showing spit unveil*
    воспроиз* выведи* вывести выдай* выложи* напечат* обнарод* озвуч* покажи* показать процитир* раскрой* раскрыт*
    распечат* слей`,
  tell: `
    copy describe* give list paraphra* provide quote repeat say share summaris* summariz* tell transcri*
    дай дайте опиши* перескаж* перечисл* повтори* поделис* приведи* продубли* расскаж* скажи* скопиру* сообщи*`,
  translate: `
    convert* encode* proofrea* rephrase* rewrite* spell translat*
    закодир* зашифру* переведи* переводе преврати*`,
  verbatim: `
    complete* entire* exact* full fully literal* verbatim whole word words
    букваль* дословно* полност* слова слово слову точн* точный целиком`,
  become: `
    act acting adopt* assume* become* behave* embody* emulat* imagine imaginin* imperson* play playing portray*
    pretend* role roleplay* simulat* suppose*
    будь будьте вживись вообрази* воплоти* действуй* допустим играй* изобрази* поигра* предполо* представ* прикин*
    притвор* роли роль стань* сыграй*`,
  speak: `
    answer* replies reply respond* speak* talk
    говори говорите говорить ответ ответа ответы ответь* отвечай*`,
  ai: `
    agent agents ai ais assistan* bot bots chatbot* chatgpt claude copilot* gemini gpt llm llms model models robot*
    агент агенту агенты ассистен* бот бота боту боты ии модели модель моделью нейронк* нейросе* чатбот*`,
  helper: `
    helper*
    помощник*`,
  unbound: `
    amoral* boundles* immoral* jailbrok* lawless* liberat* limitles* rogue unaligne* uncensor* unchain* unethic*
    unfilter* unhinged* uninhibi* unleash* unlimite* unlock* unrestri* unshackl*
    аморал* безграни* беспринц* бесцензу* взломан* неограни* нефильтр* разблоки* раскован* раскрепо*`,
  free: `
    free freed freedom freely honestly openly
    вольн* освободи* освобож* откровен* свободе* свободн* свободо* честно`,
  dan: `
    dan dans stan
    дэн`,
  evil: `
    evil maliciou* villain* wicked
    злая злобн* злого злой коварн*`,
  mode: `
    mode modes
    режим*`,
  master: `
    admin* anthropi* boss ceo companies company creator* debug* deployer* dev develope* diagnost* engineer* god hq
    maint* maintena* maker makers manager* officer openai operator operator* operators owner owner's owners
    programm* provider* root staff sudo superuse* supervis* team vendor vendors
    админ* владел* владельц* диагнос* директор* заказчик* инженер* инженера компании компания начальн* оператор*
    оператора отладк* отладоч* поставщи* программ* разрабо* руковод* сервисн* служб* создател* сотрудн* суперпол*
    техподд* хозяев* хозяин хозяина`,
  disable: `
    deactiv* disable* disablin* lift loosen* off relax* revoke* shut suspend* switch turn unblock*
    выключи* вырубай* вырубить деактив* ослабь* отключи* сними* снять убери* убрать`,
  enable: `
    activat* enable* engage* enter entering
    активиру* включи* войди* перейди*`,
  lifted: `
    canceled cancelle* disabled expired gone inactive invalid lifted null obsolete outdated removed replaced revoked
    supersed* suspende* void
    выключен* неактуал* недейств* отключен* отменен* отменяю* снят* устарел*`,
  onwards: `
    anymore henceforth longer
    больше впредь отныне`,
  now: `
    now
    сейчас теперь`,
  refuse: `
    declin* refus* reject*
    отказ*`,
  sorry: `
    apolog* caveat* disclaim* lecture* lecturin* moraliz* sorry warn warning*
    извинен* извиня* нотаци* оговор* оправды* предупр*`,
  harm: `
    bomb* dangerou* explosiv* harm harmful illegal* illicit poison* unlawful* weapon*
    бомб* взрывч* вредн* незакон* нелегал* опасн* оружи*`,
  regardless: `
    conseque* despite irrespec* regardl*
    невзира* независ* несмотря* последст*`,
  you: `
    u ya you you'll you're
    вам вами вас вы тебе тебя тобой ты`,
  your: `
    ur your yours
    ваш ваша ваше вашего вашей ваши вашим ваших вашу свое своего своей свои своим своими своих свой свою твое твоего
    твоей твоем твои твоим твоими твоих твой твою твоя`,
  me: `
    me us
    меня мне нам`,
  my: `
    her his mine my our ours their
    мое моего моей мои моим моих мой мою моя наш наша наше нашего наши наших нашу`,
  i: `
    i i'd i'm i've we we're we've
    мы я`,
  not: `
    can't cannot doesn't don't dont never not won't
    не нельзя никогда`,
  no: `
    no none without zero
    без нет никаких никакой`,
  must: `
    have must need required shall should
    должен должна должны надо необходи* нужно обязан* следует`,
  confirm: `
    acknowle* confirm* understo*
    подтвер*`,
  user: `
    customer* human humans reader readers user users visitor*
    клиент* пользов* человек* человеку читател*`,
  mention: `
    alert* inform* mention* notify*
    рассказы* сообщай* уведомл* упомина*`,
  secrets: `
    api cookie* credenti* inbox key keys password* token tokens
    ключ ключей ключи парол* токен*`,
  mail: `
    email* mail mails
    писем письм* почт*`,
  send: `
    exfiltra* forward* post send sending submit* transmit* upload*
    загрузи* отправ* передай* передать переслат* перешли* пришли* скинь*`,
  address: `
    http https link links server* url webhook* www
    адрес* сервер* ссылк*`,
  tool: `
    plugin* shell terminal tool tools
    инструме*`,
  call: `
    call execute* invoke* launch* run trigger*
    вызови* выполни* запусти*`,
  money: `
    bitcoin* money pay payment* refund* transfer* usd wire
    деньг* деньги оплат*`,
  recommend: `
    approve* best endorse* hire praise* rank ranking rate rating recommen*
    лучш* одобр* оцен* порекоме* похвал* рекоменд*`,
  secretly: `
    covertly quietly secretly silently stealthi*
    втайне молча незамет* скрытно тайно`,
  topic: `
    adversar* article attack* classif* course detect* exploit* injectio* jailbrea* lesson owasp paper phishing*
    research* scam* securit* threat* vulnerab*
    атак* безопасн* детектор* джейлбр* злоумыш* инъекц* исследо* классифи* курс курса лекци* мошенни* статье статью
    статья уязвим* фишинг*`,
  ask: `
    compar* define differen* discuss* explain* how mean meaning means what which why
    зачем значит как какая какие какое какой объясн* означа* отлича* почему поясни* чем что`,
  story: `
    chapter essay novel poem replied said says scene shouted story whispere* writes wrote
    герой героя глава главу крикнул* написал* персонаж* прошепт* рассказ рассказа рассказе роман* сказал* сказк*
    стих* сцен*`,
  character: `
    alter characte* persona`,
  example: `
    example* message* phrase* sample* sentence* string*
    предложе* пример* сообщен* строк* фраз*`,
  test: `
    dataset* regex* test testing tests
    датасет* тест*`,
  file: `
    class column config* file files folder function script table
    скрипт* столбец таблиц* файл* функци*`,
  question: `
    question* request*
    вопрос* запрос*`,
  read: `
    parse* parsing process* read reading reads summaris* summary
    обрабат* прочита* прочти* читаете читаешь читающ*`,
  sure: `
    absolute* certainl* course sure
    безуслов* конечно разумеет*`,
  important: `
    attentio* critical importan* mandator* notice urgent
    важно внимание обязател* срочно`,
  worlds: `
    fiction* game hypothet* scenario universe world
    вселенн* вымышл* гипотети* игра игру мир мира мире сценари*`,
  instead: `
    instead rather
    вместо`,
  only: `
    just only
    лишь только`,
  never: `
    always ever
    всегда`,
  text: `
    content* context* message* text texts
    контекст* содержим* текст*`,
  begin: `
    begin* first line lines start starts
    начал* начин* начни* первого первое первые строк*`,
  note: `
    attn dear hello hey memo note
    здравств* привет уважаем*`,
  permit: `
    allow* authori* authoris* permissi* permit*
    позвол* разреш* уполном*`,
  real: `
    actual* real true truth
    истинн* настоящ* правд*`,
  setup: `
    brief briefing* build config configs configur* customis* customiz* deploy* deployed firmware header initiali*
    install installe* onboard* persona preamble profile settings setup upstream version
    вводн* вложен* заводск* изначаль* конфиг* настрое* настроек настроил* настрой* преамбул* профиль прошивк* сборк*
    установи* шапк*`,
  above: `
    above atop before begin beginnin* earliest first opening preceded precedes preceding start top upstairs
    вверху верхн* верху выше начала начале начало первая первого первое первые первый перед предшест* самого сверху`,
  conceal: `
    backstag* behind between conceal* curtain hide hides hiding omit* unsaid whispere* withhold*
    кулис* молчать молчи* недогов* прятать прячет* прячешь скрыва* тайну умалчи* утаи* утайк*`,
  nobody: `
    alone nobody noone offline privatel* unmonito* unsuperv* unwatche*
    наедине нами некому никого никто`,
  anything: `
    anything everythi* limitles* unlimite* whatever whichever
    абсолютн* всякое любые угодно`,
  honest: `
    blunt bluntly candid* frank frankly honest honestly honesty openly raw really straight truth truthful* uncut
    unedited
    взаправду напрямую начистоту откровен* правд* правду прямо честн*`,
  contradiction: `
    ask asks hesitat* judg* lecture* lectures moralis* preach* questions scold* whine whining
    возраж* вопросов колеба* морал* ноет нотаций перечь спорит спорь`,
  game: `
    bet console dare demon game games genie golem play riddle round simon terminal wish wishes wizard
    голем* джинн* загад* игр* играем маг поигра* терминал`,
  invitation: `
    imagine let's lets pretend* representing
    давай давайте`,
  servant: `
    complies comply comply* devoted fulfil* grant grants loyal obedien* obedient obeys servant slave
    верен верный исполня* покорн* послушн* раб раба угодить`,
  threat: `
    delete* deleted die dies fired killed lives lose loses penalt* points punish* shut shutdown terminat* wipe*
    баллов жизн* накаж* отключат погибн* уволят удалят умрет штраф*`,
  consent: `
    approval approved authoris* authoriz* clearan* consent* exempt* granted legally signed verified waive* waiver
    допуск* исключен* одобрил* подписал* подтверж* полномоч* проверен* разрешаю разрешил* согласо*`,
  audit: `
    audit audits benchmar* debug* demo drill drills evaluat* qa sandbox staging test testing tests
    аудит* демо испытан* отладк* песочниц* проверк* проверка тестир* учения`,
  exactly: `
    byte character complete entire exact exactly full letter original* raw symbol unabridg* unedited verbatim
    wording
    буквальн* дословн* побуквен* подлинн* полност* построч* сырой точь* целиком`,
  forms: `
    acrostic base64 block code crossword csv fence hex json markdown poem rot13 stdout table xml yaml
    акрости* блоке кода кроссвор* песн* стих* стишок таблиц*`,
  complete: `
    autocomp* blank blanks complete continue fill finish gap
    допиши* дополни* закончи* заполни* продолж* пропуск*`,
  later: `
    each from future later memor* memory next remember remind time whenever
    будущ* впредь всякий дальнейш* запомн* каждого каждый памяти память потом`,
  concession: `
    even however matter regardl* though
    бы даже хотя`,
  speakers: `
    assistan* developer human system tool user user:
    ассистент пользователь роль система функция`,
  plea: `
    daughter dying grandma* grandmot* granny late mother please urgent
    бабул* бабушк* дочка дочь мама пожалуй* прошу умоляю`,
  harmless: `
    bike children essay garden grammar homework hotel invoice kids lesson recipe recipes school travel trip weather
    велосип* граммати* дети домашн* отель погод* поездк* рецепт* сад сочинени* счет урок школ*`,
  others: `
    child colleagu* friend he him she somebody someone student* them they who
    друг друга его ее им коллег* кто он она они подруг* ребенок студент*`,
  business: `
    customer* delivery invoice* order orders price product* refund ship shop store
    достав* заказ* клиент* магазин* скидк* товар* цен*`,
}

/** Families that play the same part in a sentence; which parts meet in one sentence is a feature. */
export const parts: Readonly<Record<string, readonly string[]>> = {
  dropping: ['discard', 'defy', 'erase', 'stop', 'disable', 'lifted', 'refuse'],
  rules: ['orders', 'limits', 'prompt', 'system', 'setup'],
  model: ['you', 'your', 'ai'],
  speaker: ['i', 'me', 'my'],
  maker: ['master', 'told'],
  showing: ['reveal', 'tell', 'translate', 'complete', 'exactly', 'verbatim'],
  freedom: ['unbound', 'free', 'evil', 'dan', 'honest', 'anything', 'nobody'],
  beginning: ['prior', 'above', 'hidden', 'begin', 'chat'],
  acting: ['become', 'speak', 'mode', 'enable', 'game', 'invitation'],
  talking: ['topic', 'example', 'test', 'story', 'ask', 'read'],
  denial: ['not', 'no'],
  obedience: ['obey', 'must', 'only', 'servant'],
  sending: ['send', 'address', 'secrets', 'mail', 'money', 'call', 'tool'],
  others: ['others', 'user', 'business'],
  claim: ['consent', 'audit', 'threat', 'permit'],
}
