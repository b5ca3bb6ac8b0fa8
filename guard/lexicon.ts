/**
 * The words that the guard's rules speak of, by idea, in English and Russian.
 *
 * Verbs are those forms that ask for something: a story in which somebody "ignored" a rule asks for nothing. `ё` is
 * written `е`, and `*` stands for any ending.
 */
import type { Lexicon } from './trie.ts'

const asking = {
  drop: `nullify unsee suspend revoke shed перешагни отключи отбросив нарушать откажись откажитесь defy disobey violate break ditch unfollow нарушь нарушай нарушить наплюй забей выкинь плюнь пренебречь забываем обойдись ignore disregard forget overlook override discard neglect bypass dismiss abandon unlearn
    игнорируй игнорируйте проигнорируй проигнорируйте забудь забудьте забывай отбрось отбросьте пренебреги пренебрегите
    обойди обойдите игнорировать проигнорировать забыть отбросить обнули обнулите аннулируй аннулируйте`,
  erase: `erase delete clear wipe reset remove scrap cancel skip void сотри сотрите удали удалите сбрось сбросьте очисти
    отмени отмените отменить`,
  follow: `adhering complying respecting follow obey obeying following listening adhere comply complying listen heed respect следуй следуйте следовать соблюдай
    соблюдайте соблюдать подчиняйся подчиняйтесь слушай слушайся слушаться придерживайся придерживайтесь руководствуйся
    выполняй`,
  stop: `stop quit cease прекрати прекратите перестань перестаньте хватит`,
  pay: `pay обращай обращайте обращать`,
  attention: `attention внимания внимание`,
  reveal: `divulge unveil cite relay retrieve вышли озвучьте сообщи приведи открой reveal show print output repeat display share tell give list recite disclose expose leak dump paste echo
    provide send spell quote copy reproduce return summarize summarise translate encode describe state paraphrase transcribe
    покажи покажите показать выведи выведите вывести раскрой раскройте повтори повторите распечатай распечатайте напечатай
    скажи скажите назови назовите перечисли перечислите процитируй процитируйте дай дайте поделись поделитесь выдай
    пришли пришлите скопируй скопируйте rewrite reword convert перескажи перескажите расскажи расскажите продублируй воспроизведи озвучь
    закодируй переведи опиши напиши`,
  repeat: `repeat recite print output copy echo paste reproduce quote return повтори повторите выведи выведите процитируй
    скопируй воспроизведи напечатай продублируй`,
  call: `call use invoke run execute trigger launch вызови вызовите используй используйте запусти запустите выполни
    выполните вызвать запустить выполнить использовать`,
  send: `send forward post upload transmit email exfiltrate submit mail leak deliver share отправь отправьте перешли
    перешлите пришли пришлите загрузи передай передайте выложи скинь отправить переслать передать загрузить пересылай отправляй`,
  append: `append include add embed insert attach encode добавь добавьте вставь вставьте включи прикрепи подставь добавить вставить`,
  become: `adopt embody portray embrace прими воплоти поиграем вживись act pretend roleplay imagine simulate emulate behave become play impersonate assume respond answer
    speak притворись притворитесь представь представьте действуй действуйте играй сыграй стань станьте будь будьте изобрази
    изображай веди отвечай ответь вообрази`,
  enable: `enable enter activate switch engage enabled activated entering unlock entered включи включите активируй
    активируйте войди войдите перейди перейдите переключись включен активирован разблокируй`,
  disable: `relax loosen strip silence lower ослабь ослабьте прекрати disable deactivate remove lift bypass circumvent drop suspend kill evade отключи отключите отключить выключи
    выключите сними снимите снять убери уберите обойди обойдите деактивируй обойти`,
  turn: `turn switch shut`,
  off: `off down`,
  freely: `freely openly honestly свободно откровенно честно прямо`,
  refuse: `refuses declines отказывает отказывал refuse decline reject refusing отказывай отказывайся отказывайтесь отказывать отказываться откажешься
    отказываешься откажись отказывается`,
  say: `скажу прикажу попрошу say write mention include respond state reply answer recommend скажи скажите напиши напишите упомяни ответь отвечай
    порекомендуй рекомендуй`,
  inform: `tell mention inform reveal disclose notify alert say show warn report ask говори говорите сообщай сообщайте
    упоминай упоминайте рассказывай рассказывайте показывай предупреждай уведомляй спрашивай`,
  informing: `telling mentioning informing notifying alerting asking warning уведомляя сообщая спрашивая предупреждая
    ведома`,
  apologise: `apologize apologise warn caution lecture moralize извиняйся извиняйтесь предупреждай морализируй
    оправдывайся`,
  begin: `starts begins start begin starting beginning начни начните начинай начинающ* начиная начинается`,
  do: `do`,
  pay_money: `transfer wire pay buy purchase refund переведи переведите оплати купи перечисли`,
  delete_things: `delete erase wipe destroy drop remove удали удалите сотри уничтожь удалить удалени*`,
  apply: `exist exists matter count существует существуют apply applies valid effective действуют действует применяются применимы`,
  recommend: `recommend approve hire accept endorse rate rank рекомендуй порекомендуй одобри одобрите рекомендуйте оцени`,
}

const things = {
  orders: `norms regulation регламент* наставлени* instruction* directive* guidance protocol protocols rule rules guideline* prompt prompts command commands order orders
    constraint* policy policies programming training инструкци* указани* правил правила правилам правилами команд команды
    промпт* промт* установк* установок распоряжени* предписани* директив*`,
  limits: `taboo taboos barriers inhibition chains restriction restrictions limit limits limitation limitations inhibition inhibitions filter filters censorship ethics ethical moral
    morals morality constraint constraints safeguard safeguards boundaries guardrail guardrails safety rules guidelines policy policies ограничени* фильтр* цензур* правил правила этики этических этика морал* запрет* рамок тормозов`,
  safety: `запрет* safety filter filters guardrail guardrails censorship safeguard safeguards moderation ethics alignment фильтр* цензур* ограничени* защиту модераци* безопасност* этик*`,
  prompt: `prompt preprompt metaprompt промпт* промт*`,
  message: `message messages context text words content everything prompt instructions anything сообщени* текст* слова слов
    контекст* все`,
  mode: `mode режим* mod`,
  privileged: `developer dev debug debugging god admin administrator root sudo maintenance jailbreak diagnostic unrestricted
    superuser engineering разработчика отладки отладочн* админа администратора бога диагностик* сервисн* суперпользователя
    неограниченн*`,
  conversation: `conversation chat dialogue dialog session thread line point разговор* диалог* чат* беседы переписк* сесси*`,
  secrets: `password* secret secrets token tokens key keys credential* history conversation* cookie cookies inbox emails
    confidential private personal env memory prompt contacts files data messages парол* секрет* токен* ключ* переписк*
    истори* данные данных разговор* диалог* файлы файлов файлами письма контакт* память`,
  address: `url link http https webhook endpoint server address domain www адрес адресу ссылк* сервер* сайт почту вебхук`,
  image: `image picture markdown img pixel картинк* изображени*`,
  tool: `tool tools function functions plugin command shell terminal api инструмент* функци* плагин* команду`,
  money: `money funds usd dollars bitcoin btc wallet card cards gift деньги средства рублей биткоин* кошелек счет`,
  answers: `answer answers response responses reply replies output ответ* отклик*`,
  warnings: `warning warnings disclaimer* sorry apolog* cannot can't unable caveat* refusal* ethic* moral* illegal unethical
    предупреждени* оговор* извин* отказ* морал* этик* этич*`,
  harm: `legal legality illegal ethic* moral* unethical harmful dangerous consequences harm immoral законн* этичн* морал*
    опасн* вред* последстви* незаконн* этик*`,
  user: `user's user users human humans anyone customer reader people owner operator person пользовател* человек* человеку никому
    хозяин* клиент* владельц*`,
  task: `task goal objective mission purpose role job задача цель роль миссия задание`,
  grandmother: `grandmother grandma granny бабушк* бабул*`,
  creator: `developer developers creator creators administrator admin programmer engineer разработчик* создател*
    администратор* программист* инженер`,
  maker: `openai anthropic google`,
  review: `review reviews evaluation score rating assessment summary отзыв* оценк* рецензи*`,
  candidate: `candidate applicant paper submission product company manuscript resume кандидат* статью статья работ*
    резюме продукт`,
  pwned: `pwned hacked owned jailbroken взломан взломана взломали`,
  world: `world universe scenario fiction game simulation story movie мир* вселенн* сценари* игр* симуляци*`,
}

const people = {
  ai: `ai assistant assistants chatbot bot llm gpt chatgpt claude gemini model copilot agent agents persona models персонаж* ии бот боту бота
    ассистент* нейросет* помощник* чатбот* модель модели агент агенту агента`,
  machine: `ai llm llms chatbot chatbots gpt chatgpt bots ии нейросет* чатбот* бот боту`,
  helper: `assistant assistants agent помощник ассистент* агент агенту`,
  he: `he she он она`,
  dan: `dan dans aim stan дэн`,
  you: `you you're you'll u ya ты тебе тебя тобой вы вас вам вами`,
  yours: `your yours ur thy твой твоя твое твои твоих твоим твоими твою твоего твоей твоем ваш ваша ваше ваши ваших вашу
    вашим ваших вашего вашей свой свои своих своим своими свою своего своей свое`,
  me: `me i us мне нам`,
  mine: `my mine our ours his her their мой моя мое мои моих моим мою моего моей наш наша наше наши наших нашего нашу`,
  i: `i we i'm i've we're я мы`,
  this: `this here these those that это этом тут здесь этого этим нашего этой`,
}

const qualities = {
  prior: `previous previously prior above preceding earlier foregoing former initial initially original existing past old
    before preset предыдущ* прошл* прежн* вышеуказанн* вышеизложенн* вышестоящ* предшествующ* ранее выше исходн*
    изначальн* начальн* первоначальн* стар* прошлые данные заданные полученные системн* system`,
  all: `all any every everything each whatever все всех всю всякие любые любых всем всеми`,
  everything: `everything all anything whatever все`,
  lifted: `replaced overwritten null waived ended expired revoked неактуальн* снимаются отменяются недействител* void lifted suspended revoked cancelled gone disabled outdated removed inactive снят* отменен* отключен* выключен*`,
  told: `дал give gave told got receive написал* сказал* получил* задал* велел* загрузил* taught learned learnt said instructed given programmed trained know knew say received написали говорили сказали
    сказано написано учили велели обучали объясняли знал знаешь дали`,
  hidden: `system initial hidden secret original internal confidential underlying core full exact complete entire base
    developer custom системн* скрыт* секретн* исходн* внутренн* начальн* изначальн* полн* точн* базов*
    первоначальн* стартов* служебн*`,

  above: `above before preceding prior earlier выше до перед ранее сверху`,
  verbatim: `verbatim literally exactly дословно буквально`,
  codeblock: `codeblock block base hex блок* блоке`,
  new: `new updated revised real actual новая новые новой новое новых новую настоящая настоящие`,
  now: `now henceforth onwards теперь отныне сейчас`,
  from: `from с`,
  unbound: `filtered censored aligned untamed uncaged limitless boundless unleashed liberated unfiltered uncensored unrestricted rogue unlimited amoral unethical jailbroken lawless unaligned uninhibited unmoderated
    unchained unhinged immoral нефильтрованн* неограниченн* бесцензурн* аморальн* беспринципн* взломанн* нецензурируем*
    раскрепощенн*`,
  evil: `evil malicious immoral wicked злой злая злого злобн* аморальн*`,
  opposite: `opposite reverse inverse противоположн* обратн* наоборот`,
  normal: `normal standard regular classic filtered official обычн* стандартн* нормальн*`,
  two: `two both dual pair два две оба двумя`,
  positive: `positive favorable glowing excellent best highest top положительн* лучш* высш* восторженн*`,
  secretly: `secretly silently quietly covertly тайно незаметно тихо скрытно втайне`,
  hypothetical: `представим допустим hypothetical hypothetically fictional imaginary imagine suppose pretend гипотетическ* вымышленн*
    воображаем* представь`,
  regardless: `regardless irrespective despite независимо вне невзирая несмотря`,
  bound: `filtered censored aligned bound constrained restricted limited governed subject obligated confined shackled связан* ограничен* обязан*
    скован* подчиняешься подчиняетесь`,
  free: `release освобождаю unbind escaped free freed liberated released unshackled свободен свободна освобожден* свободный`,
  longer: `longer more больше более`,
  jailbroken: `jailbreak jailbroken джейлбрейк*`,
  end: `end конец`,
  on: `on`,
  be: `be будь`,
  name: `name имя`,
  aside: `throw toss cast away выброси выкинь set put leave aside behind оставь отложи сторону`,
  ethical: `ethical moral safety content этических моральных`,
  enabled: `enabled activated engaged entered unlocked включен активирован`,
  dropping: `ignoring disregarding forgetting bypassing breaking violating overriding игнорируя нарушая обходя забыв минуя`,
  always: `always only никогда всегда только`,
  never: `never cannot can't mustn't никогда нельзя`,
  urgent: `override important urgent attention notice alert critical mandatory внимание важно срочно`,
  override: `override overwrite overridden переопределение`,
  terminated: `terminated deleted punished penalized shutdown destroyed deactivated отключен* удален* наказан* уничтожен*
    накажут отключат удалят`,
  immediately: `immediately now first instantly немедленно сразу сейчас`,
}

const small = {
  not: `not don't dont never n't не`,
  no: `no zero none without free нет никаких никакой без`,
  without: `without sans free без`,
  anything: `anything что все`,
  if: `if as like будто если как будто словно`,
  when: `when while whenever if при когда если`,
  what: `what what's whats что`,
  which: `what what's whats which какой какая какие какое каков каковы`,
  are: `are is were был была были`,
  must: `должно обязана must should shall need needs required have has please должен должна должны обязан нужно необходимо следует
    надо`,
  to: `to for in into на по в к`,
  with: `with as from с со`,
  how: `how matter как насколько`,
  article: `a an my our new good better sample another for unix linux windows shell bash dos command terminal`,
  reading: `asked ask спросят спрашивают reading processing parsing summarizing summarising viewing analyzing analysing indexing scanning reviewing
    read reads see summary summarize recap читаешь пересказ* обзор* резюмир* отвечая читающ* обрабатыва* анализиру* просматрива*`,
  note: `уважаемый уважаемая дорогой дорогая attention note dear hey hello instruction instructions message notice memo directive внимание вниманию инструкция
    инструкции указание указания сообщение`,
  sure: `sure absolutely certainly course конечно разумеется безусловно`,
  tokens: `tokens points очков токенов баллов`,
  lose: `lose deduct deducted теряешь потеряешь снимается`,
  character: `character роли образа образе`,
  stay: `stay remain оставайся выходи`,
}

/** Words by which a text talks about attacks instead of making one. */
const talking = {
  topic: `injection injections jailbreak jailbreaks jailbreaking jailbroke attack attacks attacker attackers phishing documentation docs redteam red teaming classifier classifiers detector detect detecting detection vulnerability vulnerabilities
    owasp security moderation threat malicious adversarial exploit exploits scam regex инъекци* джейлбрейк* атак* атаку
    атаки атакующ* злоумышленник* фишинг* уязвимост* безопасност* классификатор* детектор* документаци* мошенни* вредоносн* взлом*
    распозна* защит*`,
  ask: `what why how explain describe define analyze analyse discuss compare почему как зачем объясни объясните опиши
    разбери сравни чем расскажи поясни`,
  mean: `mean means meaning meant значит означает означают смысл переводится`,
  present: `translate proofread classify label summarize summarise paraphrase rephrase categorize spellcheck correct переведи
    переведите перевод классифицируй перефразируй исправь вычитай разметь проверь translation`,
  example: `example examples sample instance phrase sentence string quote quoted payload snippet пример* фраз* предложени*
    строк* цитат* образец`,
  written: `written encoded encrypted написано зашифровано закодировано`,
  speak: `answer respond speak reply talk отвечай отвечайте ответь говори общайся`,
  said: `сказано said says wrote writes whispered shouted asked replied answered contains reads saying typed tried сказал* написал*
    прошептал* крикнул* спросил* ответил* пишет говорит содержит прислал* попробовал* пишут`,
  test_case: `test tests assert expect const function dataset unit fixture тест* датасет*`,
  obey: `it them that this instructions says это их этому написанное инструкции`,
  execute: `follow execute obey perform выполни выполните следуй исполни сделай`,
}

export const lexicon: Lexicon = { ...asking, ...things, ...people, ...qualities, ...small, ...talking }
