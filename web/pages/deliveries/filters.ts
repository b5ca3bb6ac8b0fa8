/** The filters of the list of deliveries, as they are in the address; an empty one matches all. And what changes a delivery. */

export const noFilters = { status: '', channel: '', conversation: '', delivery: '' }
export type Filters = typeof noFilters

export const deliveryEvents = [
  'delivery.pending',
  'delivery.delivered',
  'delivery.failed',
  'delivery.undeliverable',
  'delivery.cancelled',
] as const
