/** Groups Process and Limits: the process itself, and its bounds. */
import {
  choice,
  databaseUrl,
  int,
  intOrAuto,
  listenAddress,
  ownSecret,
  pattern,
  secret,
  text,
  url,
} from '../setting.ts'
import { workspaceId, workspaceIdAllowed } from '../workspace-id.ts'

export const processGroup = {
  SERVICE_GATEWAY_ADDR: listenAddress(':8780', {
    apply: 'restart',
    help: { en: 'Where the gateway listens.', ru: 'Адрес, на котором слушает шлюз.' },
  }),
  SERVICE_GATEWAY_PROCESSES: intOrAuto(
    1,
    { min: 1, max: 64 },
    {
      apply: 'restart',
      source: 'environment',
      help: {
        en: 'Processes that share the ports of the gateway on this machine; auto: one for each core.',
        ru: 'Сколько процессов делят порты шлюза на этой машине; auto: по одному на ядро.',
      },
    },
  ),
  SERVICE_DEFAULT_WORKSPACE_ID: pattern(workspaceId, workspaceIdAllowed, {
    apply: 'restart',
    help: {
      en: 'The default workspace; blank: the one created at the first start.',
      ru: 'Рабочее пространство, если не названо другое; пусто: созданное при первом запуске.',
    },
  }),
  SERVICE_BLOB_DIR: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'Folder of media and files, shared by all nodes; blank: that service is off.',
        ru: 'Папка медиа и файлов, общая для всех узлов; пусто: эта часть выключена.',
      },
    },
    4_096,
  ),
  SERVICE_MEDIA_TOKEN_SECRET: ownSecret({
    apply: 'restart',
    help: {
      en: 'Signs download addresses; blank: made once and kept in the secret store.',
      ru: 'Подписывает ссылки на файлы; пусто: создаётся один раз и хранится среди секретов.',
    },
  }),
  SERVICE_OTEL_ENDPOINT: url({
    apply: 'restart',
    help: {
      en: 'OTLP collector for traces, metrics and logs; blank: nothing is loaded.',
      ru: 'Приёмник OTLP для трасс, метрик и журналов; пусто: ничего не загружается.',
    },
  }),
  SERVICE_DATA_DIR: text(
    './data',
    {
      apply: 'restart',
      source: 'environment',
      help: {
        en: 'Folder of the built-in database and the master key.',
        ru: 'Папка встроенной базы и главного ключа.',
      },
    },
    4_096,
  ),
  SERVICE_DATABASE_URL: databaseUrl({
    targets: ['read-write', 'primary'],
    apply: 'restart',
    source: 'environment',
    help: {
      en: 'Address of an external PostgreSQL, or of several servers of which one takes writes; blank: the built-in one.',
      ru: 'Ваша база PostgreSQL или несколько серверов, один из которых принимает записи; пусто: встроенная.',
    },
  }),
  SERVICE_NATS_URL: url(
    {
      apply: 'restart',
      help: {
        en: 'NATS server that carries messages between the nodes of one database; blank: the database carries them.',
        ru: 'Сервер NATS для сообщений между узлами одной базы; пусто: их передаёт сама база.',
      },
    },
    ['nats:', 'tls:'],
  ),
  SERVICE_NATS_USER: text(
    '',
    {
      apply: 'restart',
      help: { en: 'User at the NATS server; blank: none.', ru: 'Пользователь сервера NATS; пусто: никакой.' },
    },
    256,
  ),
  SERVICE_NATS_PASSWORD: secret({
    apply: 'restart',
    help: { en: 'Password of that user.', ru: 'Пароль этого пользователя.' },
  }),
  SERVICE_NATS_TOKEN: secret({
    apply: 'restart',
    help: {
      en: 'Token for the NATS server, where it asks for one and not for a user.',
      ru: 'Токен для сервера NATS, если он спрашивает токен, а не пользователя.',
    },
  }),
  SERVICE_NATS_CA_FILE: text(
    '',
    {
      apply: 'restart',
      help: {
        en: 'File of the authorities (PEM) that the certificate of the NATS server is checked against; with it TLS is required.',
        ru: 'Файл центров сертификации (PEM), по которым проверяется сертификат NATS; с ним TLS обязателен.',
      },
    },
    4_096,
  ),
  SERVICE_MASTER_KEY: secret({
    apply: 'restart',
    source: 'environment',
    help: {
      en: 'Key of sealed settings, 32 bytes in base64 or hexadecimal; blank: a file in the data folder.',
      ru: 'Ключ для секретов, 32 байта в base64 или шестнадцатерично; пусто: файл в папке данных.',
    },
  }),
  SERVICE_BOOTSTRAP_KEY: ownSecret({
    apply: 'restart',
    source: 'environment',
    help: {
      en: 'The first API key, 32 characters at least, used at a start without any key; blank: one is created and printed.',
      ru: 'Первый ключ API, не короче 32 знаков, берётся при запуске без ключей; пусто: создаётся и печатается.',
    },
  }),
}

export const limits = {
  SERVICE_LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], 'info', {
    changedBy: 'admin',
    apply: 'live',
    help: { en: 'The lowest level that is logged.', ru: 'Самый низкий уровень, который пишется в журнал.' },
  }),
  SERVICE_CONNECTIONS_MAX: int(
    10_000,
    { min: 10, max: 1_000_000 },
    {
      apply: 'restart',
      help: { en: 'Maximum of open client connections.', ru: 'Наибольшее число открытых соединений.' },
    },
  ),
  SERVICE_REQUEST_DEADLINE_S: int(
    300,
    { min: 1, max: 86_400 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Seconds until a request that is not a stream is aborted.',
        ru: 'Через сколько секунд прекращается обычный запрос.',
      },
    },
  ),
  SERVICE_DRAIN_TIMEOUT_S: int(
    30,
    { min: 0, max: 3_600 },
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Seconds that running turns get to finish at a stop.',
        ru: 'Сколько секунд дано идущим ответам при остановке.',
      },
    },
  ),
  SERVICE_TURNS_MAX: int(
    10_000,
    { min: 1, max: 1_000_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Turns that run at once; one more is answered 429.',
        ru: 'Сколько ответов идёт одновременно; лишний получает 429.',
      },
    },
  ),
  SERVICE_QUEUE_TURNS_MAX: int(
    256,
    { min: 1, max: 100_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Turns of channels and web chats that run at once; more wait in the database.',
        ru: 'Сколько ответов каналов и веб-чатов идёт одновременно; прочие ждут в базе.',
      },
    },
  ),
  SERVICE_EVENT_RETENTION_DAYS: int(
    7,
    { min: 1, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that events are kept for readers that reconnect; messages are kept for ever.',
        ru: 'Сколько дней хранятся события для вернувшихся читателей; сообщения хранятся всегда.',
      },
    },
  ),
  SERVICE_RESPONSE_RETENTION_DAYS: int(
    30,
    { min: 1, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that responses of /v1/responses can be read and continued; then they are deleted, with their messages.',
        ru: 'Сколько дней ответы /v1/responses можно читать и продолжать; затем они удаляются вместе с сообщениями.',
      },
    },
  ),
  SERVICE_STEP_RETENTION_DAYS: int(
    90,
    { min: 1, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that the steps of turns are kept; they go by whole weeks.',
        ru: 'Сколько дней хранятся шаги ответов; удаляются целыми неделями.',
      },
    },
  ),
  SERVICE_STEP_SIZE_MAX_MB: int(
    0,
    { min: 0, max: 100_000_000 },
    {
      apply: 'live',
      help: {
        en: 'Megabytes that the steps of turns may take: beyond it the oldest weeks go earlier; 0: no bound.',
        ru: 'Сколько мегабайт могут занимать шаги ответов: сверх этого старые недели удаляются раньше; 0: без предела.',
      },
    },
  ),
  SERVICE_ATTEMPT_RETENTION_DAYS: int(
    90,
    { min: 1, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that the attempts of deliveries are kept. The deliveries stay.',
        ru: 'Сколько дней хранятся попытки доставок. Сами доставки остаются.',
      },
    },
  ),
  SERVICE_USAGE_RETENTION_DAYS: int(
    400,
    { min: 62, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that the entries of usage are kept; they go by whole weeks. Their sums stay.',
        ru: 'Сколько дней хранятся записи расхода; удаляются целыми неделями. Суммы остаются.',
      },
    },
  ),
  SERVICE_SUBSCRIPTION_RETENTION_DAYS: int(
    30,
    { min: 4, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that what subscriptions were sent is kept.',
        ru: 'Сколько дней хранится отправленное подпискам.',
      },
    },
  ),
  SERVICE_ALERT_RETENTION_DAYS: int(
    365,
    { min: 1, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that alerts are kept after they were resolved.',
        ru: 'Сколько дней хранятся снятые тревоги.',
      },
    },
  ),
  SERVICE_TURN_RETENTION_DAYS: int(
    0,
    { min: 0, max: 3_650 },
    {
      apply: 'live',
      help: {
        en: 'Days that the records of calls without a stored conversation are kept; 0: for ever.',
        ru: 'Сколько дней хранятся записи вызовов без сохранённой беседы; 0: всегда.',
      },
    },
  ),
  SERVICE_STREAM_BUFFER_BYTES: int(
    262_144,
    { min: 16_384, max: 67_108_864 },
    {
      apply: 'restart',
      help: {
        en: 'Maximum of bytes buffered for one slow reader of a stream.',
        ru: 'Сколько байт ждёт одного медленного читателя потока.',
      },
    },
  ),
}
