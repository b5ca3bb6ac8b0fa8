/** The harness's arithmetic: medians, percentiles, spreads, slopes. */

export interface Spread {
  median: number
  min: number
  max: number
}

/** @throws RangeError when there is nothing to sum up: a figure that was not measured must not look like 0 */
export function spread(samples: readonly number[]): Spread {
  const sorted = ascending(samples)
  return { median: middle(sorted), min: at(sorted, 0), max: at(sorted, sorted.length - 1) }
}

export function median(samples: readonly number[]): number {
  return middle(ascending(samples))
}

/** The median and where that of all possible samples lies with 95 %: by ranks, whatever the distribution. */
export function medianInterval(samples: readonly number[]): { median: number; least: number; most: number } {
  const sorted = ascending(samples)
  const rank = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2))
  return { median: middle(sorted), least: at(sorted, rank), most: at(sorted, sorted.length - 1 - rank) }
}

/** The nearest-rank percentile: the smallest sample that at least `percent` % of the samples do not exceed. */
export function percentile(samples: readonly number[], percent: number): number {
  const sorted = ascending(samples)
  return at(sorted, Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1))
}

/** Least squares through the points; units of `y` per unit of `x`. 0 when all `x` are the same. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const meanX = mean(points.map(({ x }) => x))
  const meanY = mean(points.map(({ y }) => y))
  let covariance = 0
  let variance = 0
  for (const { x, y } of points) {
    covariance += (x - meanX) * (y - meanY)
    variance += (x - meanX) ** 2
  }
  return variance === 0 ? 0 : covariance / variance
}

export function mean(samples: readonly number[]): number {
  if (samples.length === 0) throw nothing()
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length
}

function ascending(samples: readonly number[]): Float64Array {
  if (samples.length === 0) throw nothing()
  return Float64Array.from(samples).sort()
}

function middle(sorted: Float64Array): number {
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? at(sorted, half) : (at(sorted, half - 1) + at(sorted, half)) / 2
}

function at(sorted: Float64Array, index: number): number {
  const sample = sorted[index]
  if (sample === undefined) throw nothing()
  return sample
}

function nothing(): RangeError {
  return new RangeError('no samples')
}
