/** How many cases property tests try: as many as they say, times PROPERTY_RUNS where a long run asks for more. */
import fc from 'fast-check'

const times = Number(process.env['PROPERTY_RUNS'] ?? 1)

/** For a property that says its own number. */
export const propertyRuns = (count: number): number => count * times

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: propertyRuns(100) })
