/** The last values as a small line without axes; gaps stay gaps. Decoration beside a figure, so screen readers skip it. */

const width = 60
const height = 22

export default function Spark({ values, isBad = false }: { values: readonly (number | null)[]; isBad?: boolean }) {
  const most = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE)
  const x = (at: number) => (at / Math.max(1, values.length - 1)) * width
  const y = (value: number) => height - 1 - (value / most) * (height - 2)
  const path = values
    .map((value, at) =>
      value === null
        ? ''
        : `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join('')
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path
        d={path}
        fill="none"
        stroke={isBad ? 'var(--bad-mark)' : 'var(--c1)'}
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  )
}
