/** The entry of the gateway: `service start` runs it, under its parent or alone. Only what is loaded after this is cached. */
import { keepCompiledCode } from '../runtime/compile-cache.ts'

keepCompiledCode()
await import('./process.ts')
