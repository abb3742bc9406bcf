/** The findings for people: problems first, each with what to do. */
import { printable } from '../operation/text/printable.ts'
import type { Finding, Status } from './finding.ts'

const titles = {
  problem: 'PROBLEMS',
  warning: 'WARNINGS',
  ok: 'OK',
  skipped: 'SKIPPED',
} as const satisfies Record<Status, string>
const order = ['problem', 'warning', 'ok', 'skipped'] as const
const textCharactersMax = 1_000

export function describeFindings(
  findings: readonly Finding[],
  counts: Readonly<Record<Status, number>>,
): string {
  const width = Math.max(0, ...findings.map(({ check }) => check.length))
  const blocks = order.flatMap((status) => {
    const ofStatus = findings.filter((one) => one.status === status)
    if (ofStatus.length === 0) return []
    return [[titles[status], ...ofStatus.flatMap((one) => lines(one, width))].join('\n')]
  })
  return `${[...blocks, summary(counts)].join('\n\n')}\n`
}

function lines({ check, found, advice }: Finding, width: number): string[] {
  const first = `  ${check.padEnd(width)}  ${printable(found, textCharactersMax)}`
  if (advice === undefined) return [first]
  return [first, `  ${' '.repeat(width)}  Fix: ${printable(advice, textCharactersMax)}`]
}

function summary({ problem, warning, ok, skipped }: Readonly<Record<Status, number>>): string {
  const plural = (count: number, name: string) => `${count} ${name}${count === 1 ? '' : 's'}`
  return `${plural(problem, 'problem')}, ${plural(warning, 'warning')}, ${ok} ok, ${skipped} skipped.`
}
