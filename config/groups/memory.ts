/** Group Memory. */
import { bool, choice, duration, int, secret, text, unused, url } from '../setting.ts'

export const memory = unused({
  SERVICE_MEMORY_CAPTURE: choice(['auto', 'review', 'off'], 'auto', {
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'auto: remember and recall; review: an operator approves; off: nothing.',
      ru: 'auto: запоминать и вспоминать; review: с одобрения оператора; off: ничего.',
    },
  }),
  SERVICE_MEMORY_RETRIEVAL: choice(['fulltext', 'embedding'], 'fulltext', {
    changedBy: 'admin',
    apply: 'restart',
    help: {
      en: 'How memories are found: full-text search, or vectors by the embedder.',
      ru: 'Как ищутся воспоминания: по тексту или по векторам.',
    },
  }),
  SERVICE_MEMORY_EXTRACT: bool(true, {
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'Facts are extracted by the model, one call a captured message.',
      ru: 'Факты извлекает модель, один вызов на запомненное сообщение.',
    },
  }),
  SERVICE_MEMORY_CONTEXT_TIMEOUT: duration('3s', {
    changedBy: 'admin',
    apply: 'restart',
    help: {
      en: 'How long a reply waits for memories before it starts without; 0: no limit.',
      ru: 'Сколько ответ ждёт воспоминаний, прежде чем начать без них; 0: без предела.',
    },
  }),
  SERVICE_MEMORY_DREAM_INTERVAL: duration('1h', {
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'How often reviewed claims are searched for contradictions; 0: never.',
      ru: 'Как часто проверенные утверждения сверяются на противоречия; 0: никогда.',
    },
  }),
  SERVICE_MEMORY_URL: url({
    apply: 'restart',
    help: { en: 'A remote memory plugin; blank: built in.', ru: 'Внешний модуль памяти; пусто: встроенная.' },
  }),
  SERVICE_MEMORY_TOKEN: secret({
    apply: 'live',
    help: { en: 'Bearer of the remote memory plugin.', ru: 'Токен внешнего модуля памяти.' },
  }),
  SERVICE_EMBEDDER_URL: url({
    apply: 'live',
    help: {
      en: 'Embedder; blank: a hash embedder, which compares words only.',
      ru: 'Служба векторов; пусто: простой хеш, который знает только слова.',
    },
  }),
  SERVICE_EMBEDDER_MODEL: text(
    'multilingual-768',
    {
      apply: 'live',
      help: {
        en: 'Embedding model; its dimension must be SERVICE_EMBEDDER_DIM.',
        ru: 'Модель векторов; её размерность должна быть SERVICE_EMBEDDER_DIM.',
      },
    },
    256,
  ),
  SERVICE_EMBEDDER_DIM: int(
    768,
    { min: 1, max: 65_536 },
    { apply: 'live', help: { en: 'Dimension of the vectors.', ru: 'Размерность векторов.' } },
  ),
  SERVICE_EMBEDDER_KEEPALIVE: duration(
    '5m',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: { en: 'How long the embedder keeps its model loaded.', ru: 'Сколько служба держит модель в памяти.' },
    },
    { isForeverAllowed: true },
  ),
  SERVICE_EMBEDDER_QUERY_PREFIX: text(
    '',
    {
      apply: 'live',
      help: {
        en: 'Prefix of queries; blank: by the model’s name.',
        ru: 'Приставка к запросам; пусто: по имени модели.',
      },
    },
    1_000,
  ),
  SERVICE_EMBEDDER_PASSAGE_PREFIX: text(
    '',
    {
      apply: 'live',
      help: {
        en: 'Prefix of documents; blank: by the model’s name.',
        ru: 'Приставка к документам; пусто: по имени модели.',
      },
    },
    1_000,
  ),
  SERVICE_VECTORDB_URL: url({
    apply: 'live',
    help: {
      en: 'Durable vector store; blank: in memory, lost at a restart.',
      ru: 'Долговечное хранилище векторов; пусто: в памяти, до перезапуска.',
    },
  }),
  SERVICE_VECTORDB_API_KEY: secret({
    apply: 'restart',
    help: { en: 'Key of the vector store.', ru: 'Ключ хранилища векторов.' },
  }),
  SERVICE_RERANKER_URL: url({
    apply: 'restart',
    help: { en: 'Cross-encoder reranker; blank: off.', ru: 'Служба переранжирования; пусто: выключено.' },
  }),
})
