/**
 * Lays a snapshot out as lines for a terminal. Pure: size and colour are given. Blocks stand below
 * each other, and in two columns on a wide terminal.
 */
import type { Advice } from '../../../operation/advice/advise.ts'
import type { Snapshot } from '../../../operation/processes/snapshot.ts'
import { printable } from '../../../operation/text/printable.ts'
import { type Block, blocksOf } from './blocks.ts'
import { clip, type Line, lengthOf, paint, type Segment, segment } from './styled-lines.ts'

export interface ViewOptions {
  readonly columns: number
  /** Undefined: as many lines as there are. */
  readonly rows: number | undefined
  readonly isColored: boolean
  readonly clock: string
}

const columnsMin = 40
const twoColumnsMin = 150
const gap = 3
const adviceLinesMax = 4
const labelWidth = 9

export function renderView(snapshot: Snapshot, advice: Advice, options: ViewOptions): string[] {
  const columns = Math.max(columnsMin, options.columns)
  const head = [headLine(snapshot, options.clock), ...adviceLines(advice, columns), []]
  const blocks = blocksOf(snapshot)
  const body =
    columns >= twoColumnsMin ? inTwoColumns(blocks, columns) : stacked(blocks.map(withSpace))
  const all = [...head, ...body]
  const shown = options.rows === undefined ? all : fitRows(all, options.rows)
  return shown.map((line) => paint(clip(line, columns), options.isColored))
}

function fitRows(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows) return lines
  const kept = Math.max(0, rows - 1)
  const more = `${lines.length - kept} more lines: make the window higher.`
  return [...lines.slice(0, kept), [segment(more, 'dim')]].slice(0, Math.max(1, rows))
}

function headLine({ processes }: Snapshot, clock: string): Line {
  const ready = processes.filter(({ state }) => state === 'ready').length
  const isGood = ready === processes.length
  const installation = processes.find((one) => one.installation !== null)?.installation
  return [
    segment('Sluice', 'bold'),
    segment('   '),
    segment(`${ready} of ${processes.length} processes ready`, isGood ? 'good' : 'problem'),
    segment(`   ${clock}`),
    ...(installation ? [segment(`   installation ${installation.slice(0, 8)}`, 'dim')] : []),
  ]
}

function adviceLines({ text, runbook, severity, also }: Advice, columns: number): Line[] {
  const style = severity === 'ok' ? 'good' : severity
  const whole = runbook === null ? text : `${text} See ${runbook}.`
  const others = also.map((rule) => rule.replaceAll('_', ' ')).join(', ')
  return [
    ...labelled('Advice', printable(whole, 600), { columns, style }),
    ...(others === '' ? [] : labelled('Also', others, { columns, style: 'dim' })),
  ]
}

function labelled(
  label: string,
  text: string,
  { columns, style }: { readonly columns: number; readonly style: Segment['style'] },
): Line[] {
  return wrap(text, columns - labelWidth)
    .slice(0, adviceLinesMax)
    .map((line, index) => [
      segment((index === 0 ? label : '').padEnd(labelWidth), 'bold'),
      segment(line, style),
    ])
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function withSpace({ lines }: Block): Block {
  return { lines: [...lines, []] }
}

function stacked(blocks: readonly Block[]): Line[] {
  return blocks.flatMap(({ lines }) => lines).slice(0, -1)
}

/** Fills the left column to about half of all lines. */
function inTwoColumns(blocks: readonly Block[], columns: number): Line[] {
  const width = Math.floor((columns - gap) / 2)
  const half = blocks.reduce((sum, { lines }) => sum + lines.length + 1, 0) / 2
  let used = 0
  const isLeft = blocks.map(({ lines }) => {
    const fits = used < half
    used += lines.length + 1
    return fits
  })
  const left = stacked(blocks.filter((_, index) => isLeft[index]).map(withSpace))
  const right = stacked(blocks.filter((_, index) => !isLeft[index]).map(withSpace))
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const one = clip(left[row] ?? [], width)
    const space = ' '.repeat(width + gap - lengthOf(one))
    return [...one, segment(space), ...clip(right[row] ?? [], width)]
  })
}
