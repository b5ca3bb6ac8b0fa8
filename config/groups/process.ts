/** Groups Process and Limits: the process itself, and the bounds that keep it well. */
import { choice, int, listenAddress, pattern, secret, secretUrl, text, url } from '../setting.ts'

import { workspaceId, workspaceIdAllowed } from '../workspace-id.ts'

export const processGroup = {
  SERVICE_GATEWAY_ADDR: listenAddress(':8780', { apply: 'restart', help: 'Where the gateway listens.' }),
  SERVICE_DEFAULT_WORKSPACE_ID: pattern(workspaceId, workspaceIdAllowed, {
    apply: 'restart',
    help: 'Workspace where none is named; blank: the one made at the first start.',
  }),
  SERVICE_BLOB_DIR: text(
    '',
    { apply: 'restart', help: 'Folder of media and files; blank: that service is off.' },
    4_096,
  ),
  SERVICE_MEDIA_TOKEN_SECRET: secret({
    apply: 'restart',
    help: 'Keeps signed download addresses valid over restarts.',
  }),
  SERVICE_OTEL_ENDPOINT: url({
    apply: 'restart',
    help: 'OTLP collector for traces, metrics and logs; blank: nothing is loaded.',
  }),
  SERVICE_DATA_DIR: text(
    './data',
    { apply: 'restart', source: 'environment', help: 'Folder of the built-in database and the master key.' },
    4_096,
  ),
  SERVICE_DATABASE_URL: secretUrl(
    { apply: 'restart', source: 'environment', help: 'A PostgreSQL of your own; blank: the built-in one.' },
    ['postgres:', 'postgresql:'],
  ),
  SERVICE_MASTER_KEY: secret({
    apply: 'restart',
    source: 'environment',
    help: 'Key of sealed settings, 32 bytes in base64 or hexadecimal; blank: a file in the data folder.',
  }),
  SERVICE_BOOTSTRAP_KEY: secret({
    apply: 'restart',
    source: 'environment',
    help: 'The first API key, taken at a start without any key; blank: one is made and printed.',
  }),
}

export const limits = {
  SERVICE_LOG_LEVEL: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'], 'info', {
    whose: 'admin',
    apply: 'live',
    help: 'The least level that is logged.',
  }),
  SERVICE_CONNECTIONS_MAX: int(
    10_000,
    { min: 10, max: 1_000_000 },
    { apply: 'restart', help: 'Open client connections at most.' },
  ),
  SERVICE_REQUEST_DEADLINE_S: int(
    300,
    { min: 1, max: 86_400 },
    { whose: 'admin', apply: 'live', help: 'Seconds until a request that is no stream is given up.' },
  ),
  SERVICE_DRAIN_TIMEOUT_S: int(
    30,
    { min: 0, max: 3_600 },
    { whose: 'admin', apply: 'restart', help: 'Seconds that running turns get to finish at a stop.' },
  ),
  SERVICE_TURNS_MAX: int(
    10_000,
    { min: 1, max: 1_000_000 },
    { whose: 'admin', apply: 'live', help: 'Turns that run at once; one more is answered 429.' },
  ),
  SERVICE_QUEUE_TURNS_MAX: int(
    256,
    { min: 1, max: 100_000 },
    {
      whose: 'admin',
      apply: 'live',
      help: 'Turns of channels and web chats that run at once; more wait in the database.',
    },
  ),
  SERVICE_EVENT_RETENTION_DAYS: int(
    7,
    { min: 1, max: 3_650 },
    { apply: 'live', help: 'Days that events are kept for readers who come back; messages are kept for ever.' },
  ),
  SERVICE_STREAM_BUFFER_BYTES: int(
    262_144,
    { min: 16_384, max: 67_108_864 },
    { apply: 'restart', help: 'Bytes that wait for one slow reader of a stream at most.' },
  ),
}
