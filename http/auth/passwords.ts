/** Hashes and verifies passwords on worker threads, in the same time whether or not there is such an account. */
import type { Pool } from '../../runtime/pool/pool.ts'
import type { HashTask } from '../../workers/hash.task.ts'

export interface Passwords {
  hash(password: string): Promise<string>
  /** @param hash null: there is no account or no password; false after the same time as for a wrong password */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Argon2id takes any length; this bounds the work. NIST SP 800-63B asks for a maximum of at least 64. */
export const passwordCharacters = { min: 10, max: 256 }

export function passwords(pool: Pool<HashTask, string | boolean>): Passwords {
  /** The hash of a password that nobody has, made at the first use, with the same parameters as all others. */
  let decoy: Promise<string> | undefined
  const hash = async (password: string): Promise<string> => {
    const made = await pool.run({ kind: 'hash', password: normal(password) })
    if (typeof made !== 'string') throw new TypeError('the hash pool answered without a hash')
    return made
  }
  return {
    hash,
    async matches(password, stored) {
      decoy ??= hash('nobody has this one')
      const against = stored ?? (await decoy)
      const isMatch = await pool.run({ kind: 'verify', password: normal(password), hash: against })
      return stored !== null && isMatch === true
    },
  }
}

/** The same password typed on different keyboards must match. */
const normal = (password: string): string => password.normalize('NFKC')
