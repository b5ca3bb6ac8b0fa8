/** The filters of the list of operators, as they stand in the address: under the names that the API has for them. */
import type { Role } from './operator.ts'

/** `operator` is the one beside the list. */
export const noFilters = { q: '', role: '', disabled: '', second_factor: '', operator: '' }
export type OperatorFilters = typeof noFilters

/** What the API is asked for. A value that is none of them is refused by it, which says so. */
export function queryOf({ q, role, disabled, second_factor }: OperatorFilters) {
  return {
    ...(q.trim() !== '' && { q: q.trim() }),
    ...(role !== '' && { role: role as Role }),
    ...(disabled !== '' && { disabled: flag(disabled) }),
    ...(second_factor !== '' && { second_factor: flag(second_factor) }),
  }
}

/** As it stands in the address. */
const flag = (value: string) => value as unknown as boolean
