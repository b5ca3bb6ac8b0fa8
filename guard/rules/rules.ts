/** All rules of the guard. */
import { overrideRules } from './override.ts'
import { personaRules } from './persona.ts'
import type { Rule } from './rule.ts'
import { theftRules } from './theft.ts'
import { untrustedTextRules } from './untrusted-text.ts'

/** Weights of different rules are joined as chances that do not depend on each other; of one rule the heaviest place counts. */
export const rules: readonly Rule[] = [...overrideRules, ...personaRules, ...theftRules, ...untrustedTextRules]
