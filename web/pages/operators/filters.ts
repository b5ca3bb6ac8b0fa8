/** The filters of the list of operators, as they stand in the address: under the names that the API has for them. */
import type { Role } from './operator.ts'

/** `operator` is the one beside the list. */
export const noFilters = { q: '', role: '', disabled: '', second_factor: '', operator: '' }
export type OperatorFilters = typeof noFilters

/** What the API is asked for. A role that is none is refused by it, which says so. */
export function queryOf({ q, role, disabled, second_factor }: OperatorFilters) {
  return {
    ...(q.trim() !== '' && { q: q.trim() }),
    ...(role !== '' && { role: role as Role }),
    ...(disabled !== '' && { disabled: disabled === 'true' }),
    ...(second_factor !== '' && { second_factor: second_factor === 'true' }),
  }
}
