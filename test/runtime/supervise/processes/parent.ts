/** The parent with a stand-in for the gateway. */
import { superviseGateway } from '../../../../runtime/supervise/parent.ts'

const { STEADY_MS, PROCESSES = '1' } = process.env
const code = await superviseGateway({
  entry: new URL('./stand-in.ts', import.meta.url),
  processes: Number(PROCESSES),
  ...(STEADY_MS !== undefined && { steadyMs: Number(STEADY_MS) }),
  log: (level, msg, fields) => console.log(JSON.stringify({ level, msg, ...fields })),
})
process.exit(code)
