/** Passwords: hashed and checked on threads of their own, and in the same time whether or not there is such an account. */
import type { Pool } from '../../runtime/pool/pool.ts'
import type { HashTask } from '../../workers/hash.task.ts'

export interface Passwords {
  hash(password: string): Promise<string>
  /** @param hash null: there is none, which takes as long to find out as a wrong password */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Argon2id takes any length, but no more than this is read: NIST asks for at least 64. */
export const passwordCharacters = { min: 10, max: 256 }

export function passwords(pool: Pool<HashTask, string | boolean>): Passwords {
  /** Of a password that nobody has; made when first needed, with the parameters of all others. */
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

/** One password typed on two keyboards must be one. */
const normal = (password: string): string => password.normalize('NFKC')
