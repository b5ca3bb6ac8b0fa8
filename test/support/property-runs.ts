/**
 * The cases of property tests: the same at each run, so that a failure is one of the change at hand. A long run asks for
 * PROPERTY_RUNS times as many, each time others.
 */
import fc from 'fast-check'

const { PROPERTY_RUNS } = process.env
const times = Number(PROPERTY_RUNS ?? 1)

/** For a property that says its own number. */
export const propertyRuns = (count: number): number => count * times

fc.configureGlobal({ numRuns: propertyRuns(100), ...(PROPERTY_RUNS === undefined && { seed: 20261122 }) })
