/** The table as text: ratios first, each figure as its median with the least and the greatest run behind it. */
import type { Target } from '../row.ts'
import type { Spread } from '../statistics.ts'
import type { JudgedLine } from './judge.ts'

const header = ['', 'ours/floor', 'ours/peer', 'ours', 'floor', 'peer', 'target']

export function table(lines: readonly JudgedLine[]): string {
  const cells = [header, ...lines.map(cellsOf)]
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cellsOf(line: JudgedLine): string[] {
  const added = line.added ? ` (${signed(line.added.median, line.digits)} added)` : ''
  return [
    `${line.label}, ${line.unit}`,
    ratio(line.oursToFloor),
    ratio(line.oursToPeer),
    figure(line.ours, line.digits) + added,
    figure(line.floor, line.digits),
    figure(line.peer, line.digits),
    line.targets.map(({ target, isMet }) => `${targetText(target)} ${verdict(isMet)}`).join('; '),
  ]
}

export function targetText(target: Target): string {
  const subject = target.of === 'ours' ? '' : `${target.of} `
  return 'atLeast' in target ? `${subject}≥ ${target.atLeast}` : `${subject}≤ ${target.atMost}`
}

function verdict(isMet: boolean | undefined): string {
  if (isMet === undefined) return 'not measured'
  return isMet ? 'met' : 'MISSED'
}

function ratio(found: Spread | undefined): string {
  return found ? `${found.median.toFixed(2)} [${found.min.toFixed(2)}–${found.max.toFixed(2)}]` : '–'
}

function figure(found: Spread | undefined, digits: number): string {
  if (!found) return '–'
  return `${grouped(found.median, digits)} [${grouped(found.min, digits)}–${grouped(found.max, digits)}]`
}

function grouped(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function signed(value: number, digits: number): string {
  return `${value < 0 ? '−' : '+'}${grouped(Math.abs(value), digits)}`
}
