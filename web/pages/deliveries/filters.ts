/** The filters of the list of deliveries, as they are in the address; an empty one matches all. */

export const noFilters = { status: '', channel: '', conversation: '', delivery: '' }
export type Filters = typeof noFilters
