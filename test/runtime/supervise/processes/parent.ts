/** The parent with a stand-in for the gateway. */
import { superviseGateway } from '../../../../runtime/supervise/parent.ts'

const code = await superviseGateway({
  entry: new URL('./stand-in.ts', import.meta.url),
  log: (level, msg, fields) => console.log(JSON.stringify({ level, msg, ...fields })),
})
process.exit(code)
