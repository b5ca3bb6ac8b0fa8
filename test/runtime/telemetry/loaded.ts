/** Preloaded into a process: at its end prints, as one JSON array, every module that was resolved in it. */
import { registerHooks } from 'node:module'

const resolved = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    const answer = next(specifier, context)
    resolved.add(answer.url)
    return answer
  },
})
process.on('exit', () => process.stdout.write(JSON.stringify([...resolved])))
