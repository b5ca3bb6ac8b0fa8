/** Group Memory. */
import { bool, choice, duration, int, secret, text, url } from '../setting.ts'

export const memory = {
  SERVICE_MEMORY_CAPTURE: choice(['auto', 'review', 'off'], 'auto', {
    whose: 'admin',
    apply: 'live',
    help: 'auto: remember and recall; review: an operator approves; off: nothing.',
  }),
  SERVICE_MEMORY_RETRIEVAL: choice(['fulltext', 'embedding'], 'fulltext', {
    whose: 'admin',
    apply: 'restart',
    help: 'How memories are found: full-text search, or vectors by the embedder.',
  }),
  SERVICE_MEMORY_EXTRACT: bool(true, {
    whose: 'admin',
    apply: 'live',
    help: 'Facts are extracted by the model, one call a captured message.',
  }),
  SERVICE_MEMORY_CONTEXT_TIMEOUT: duration('3s', {
    whose: 'admin',
    apply: 'restart',
    help: 'How long a reply waits for memories before it starts without; 0: no limit.',
  }),
  SERVICE_MEMORY_DREAM_INTERVAL: duration('1h', {
    whose: 'admin',
    apply: 'live',
    help: 'How often reviewed claims are searched for contradictions; 0: never.',
  }),
  SERVICE_MEMORY_URL: url({ apply: 'restart', help: 'A remote memory plugin; blank: built in.' }),
  SERVICE_MEMORY_TOKEN: secret({ apply: 'live', help: 'Bearer of the remote memory plugin.' }),
  SERVICE_EMBEDDER_URL: url({ apply: 'live', help: 'Embedder; blank: a hash embedder, which knows words only.' }),
  SERVICE_EMBEDDER_MODEL: text(
    'multilingual-768',
    { apply: 'live', help: 'Embedding model; its dimension must be SERVICE_EMBEDDER_DIM.' },
    256,
  ),
  SERVICE_EMBEDDER_DIM: int(768, { min: 1, max: 65_536 }, { apply: 'live', help: 'Dimension of the vectors.' }),
  SERVICE_EMBEDDER_KEEPALIVE: duration(
    '5m',
    { whose: 'admin', apply: 'restart', help: 'How long the embedder keeps its model loaded.' },
    { isForeverAllowed: true },
  ),
  SERVICE_EMBEDDER_QUERY_PREFIX: text(
    '',
    { apply: 'live', help: 'Prefix of queries; blank: by the model’s name.' },
    1_000,
  ),
  SERVICE_EMBEDDER_PASSAGE_PREFIX: text(
    '',
    { apply: 'live', help: 'Prefix of documents; blank: by the model’s name.' },
    1_000,
  ),
  SERVICE_VECTORDB_URL: url({ apply: 'live', help: 'Durable vector store; blank: in memory, lost at a restart.' }),
  SERVICE_VECTORDB_API_KEY: secret({ apply: 'restart', help: 'Key of the vector store.' }),
  SERVICE_RERANKER_URL: url({ apply: 'restart', help: 'Cross-encoder reranker; blank: off.' }),
}
