/** Commands of the docs that the walk does not run, or that end otherwise than well there, each with the reason. */

interface Exception {
  page: string
  /** A part of the command. */
  command: string
  reason: string
}

const benches = 'the bench has runs of its own; its short form is a test'
const mailServers = 'the reader’s own mail servers'
const bot = 'the reader’s own bot, on the internet'
const interactive = 'the password, typed at the prompt'

/** Not run. */
export const notRun: readonly Exception[] = [
  { page: 'README.md', command: 'npm test', reason: '.ci/run runs it' },
  { page: 'docs/benchmarks.md', command: 'npm run bench', reason: benches },
  { page: 'docs/benchmarks.md', command: 'npm run soak', reason: benches },
  { page: 'docs/chatapp.md', command: '"bot_token"', reason: bot },
  { page: 'docs/chatapp.md', command: 'CHATAPP_PUBLIC_URL', reason: bot },
  { page: 'docs/email.md', command: '"smtp.example.com"', reason: mailServers },
  {
    page: 'docs/operations.md',
    command: 'npm audit',
    reason: 'it asks the registry for what has weaknesses today: not every registry answers, and any day may bring one',
  },
  { page: 'docs/scale.md', command: 'npm run cluster', reason: 'it has no end; it is for trying things out' },
  { page: 'docs/uwebsockets.md', command: 'npm install', reason: 'it changes the checkout, and needs GitHub' },
  { page: 'docs/uwebsockets.md', command: 'npx vitest', reason: 'it is about the build installed before' },
  { page: 'docs/web-ui.md', command: 'npm run dev:ui', reason: 'it has no end; it is for work on the sources' },
]

/** Run, and it ends with a failure. */
export const meantToFail: readonly Exception[] = [
  {
    page: 'docs/tools.md',
    command: '# tries the database',
    reason: 'the database of the example is the reader’s own, and the doctor says that it does not answer',
  },
  {
    page: 'docs/approvals.md',
    command: '/unknown-effects/resolve',
    reason: 'no service was ended with kill -9 here, so no effect is unknown',
  },
]

/** Typed by the reader at a prompt. */
export const typed: readonly (Exception & { input: string })[] = [
  { page: 'docs/operators.md', command: '--login ada', reason: interactive, input: 'seven brown kettles\n' },
]

/** What a page takes for granted: a model as the README sets one, which calls tools. */
export const withModel: readonly string[] = ['docs/approvals.md']
