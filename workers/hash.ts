/** Hashes and checks passwords with argon2id. Synchronous on purpose: the work stays on this thread and off libuv's four. */
import { hashSync, verifySync } from '@node-rs/argon2'
import type { HashTask } from './hash.task.ts'

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. The id variant is the library's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** @returns the hash as a PHC string, or whether the password matches. @throws where `hash` is no argon2 hash */
export default function hash(task: HashTask): string | boolean {
  switch (task.kind) {
    case 'hash':
      return hashSync(task.password, parameters)
    case 'verify':
      return verifySync(task.hash, task.password)
    default:
      return task satisfies never
  }
}
