/** The import table of the architecture: each room may import only the rooms listed beside it. */
const rooms = {
  config: [],
  guard: [],
  runtime: ['config'],
  workers: [],
  store: ['config', 'runtime'],
  models: ['config', 'runtime'],
  tools: ['config', 'runtime', 'store', 'models'],
  actors: ['config', 'guard', 'runtime', 'store', 'models', 'tools'],
  http: ['config', 'guard', 'runtime', 'store', 'models', 'tools', 'actors'],
  web: [],
  gateway: ['config', 'guard', 'runtime', 'store', 'models', 'tools', 'actors', 'http'],
  cli: ['config', 'guard', 'runtime', 'store', 'models', 'tools', 'actors', 'http', 'gateway'],
}

/** The contract of a worker task, its types and where its file is, is open to every room. */
const contracts = '^workers/[^/]+\\.task\\.ts$'

const boundaries = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports-only-${allowed.join('-') || 'nothing-of-ours'}`,
  severity: 'error',
  from: { path: `^${room}/` },
  to: {
    path: `^(${[...Object.keys(rooms), 'test', 'bench', 'scripts'].join('|')})/`,
    pathNot: [`^(${[room, ...allowed].join('|')})/`, contracts],
  },
}))

/** Native and swappable parts live behind one adapter each. */
const adapters = [
  { name: 'uws-only-in-http-server', library: 'uWebSockets\\.js', home: '^(http/server/|bench/|test/)' },
  { name: 'postgres-only-in-store', library: 'postgres/', home: '^(store/|bench/|test/)' },
  { name: 'piscina-only-in-pool', library: 'piscina', home: '^(runtime/pool/|workers/|bench/|test/)' },
].map(({ name, library, home }) => ({
  name,
  severity: 'error',
  from: { pathNot: home },
  to: { path: `node_modules/${library}` },
}))

/** The styles of API share models/http, and know nothing of each other. */
const styles = ['http', 'chat', 'responses'].map((folder) => ({
  name: `models-${folder}-imports-no-other-style`,
  severity: 'error',
  from: { path: `^models/${folder}/` },
  to: { path: '^models/(chat|responses)/', pathNot: `^models/${folder}/` },
}))

module.exports = {
  forbidden: [
    ...boundaries,
    ...adapters,
    ...styles,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    // What test/counterparts imports is installed where it is run. The parser does not read JSX: in web, Biome refuses circles (noImportCycles), and tsconfig's rootDir refuses imports from outside.
    exclude: { path: '^(web|test/counterparts)/' },
    doNotFollow: { path: 'node_modules' },
    parser: 'swc', // TypeScript 7 has no JavaScript compiler API for the default parser
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
}
