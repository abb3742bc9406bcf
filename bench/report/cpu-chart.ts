/**
 * An SVG chart of the CPU time of an event by process, before and now: two bars for each size of
 * events, on a scale of their own.
 */

/** CPU time by process, in µs for each event. */
export type CpuByProcess = Readonly<Record<string, number>>

export interface ChartGroup {
  readonly label: string
  readonly before: CpuByProcess
  readonly now: CpuByProcess
}

export interface Chart {
  readonly beforeLabel: string
  readonly nowLabel: string
  readonly groups: readonly ChartGroup[]
}

const width = 760
const left = 150
const right = 90
const barHeight = 20
const barGap = 6
const groupGap = 34
const top = 64
const processes = ['ingest', 'nats', 'workers', 'clickhouse', 'postgres'] as const
const colors: Readonly<Record<(typeof processes)[number], string>> = {
  ingest: '#3b82c4',
  nats: '#8fb8de',
  workers: '#d9822b',
  clickhouse: '#4f9d69',
  postgres: '#9b7bb8',
}

export function cpuChart({ beforeLabel, nowLabel, groups }: Chart): string {
  const parts = [legend()]
  let y = top
  for (const { label, before, now } of groups) {
    const longest = Math.max(sumOf(before), sumOf(now), 1)
    parts.push(text({ x: 0, y: y - 8, className: 'label', content: label }))
    parts.push(bar({ y, label: beforeLabel, cpu: before, longest }))
    parts.push(bar({ y: y + barHeight + barGap, label: nowLabel, cpu: now, longest }))
    y += 2 * barHeight + barGap + groupGap
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" role="img" aria-label="CPU time of an event by process, before and now">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.label { font-weight: 600 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>
${parts.join('\n')}
</svg>
`
}

function legend(): string {
  return processes
    .map((name, index) => {
      const x = left + index * 112
      return `<rect x="${x}" y="8" width="12" height="12" rx="2" fill="${colors[name]}"/>${text({ x: x + 18, y: 19, content: name })}`
    })
    .join('\n')
}

interface Bar {
  readonly y: number
  readonly label: string
  readonly cpu: CpuByProcess
  /** The CPU time that takes the whole width. */
  readonly longest: number
}

function bar({ y, label, cpu, longest }: Bar): string {
  let x = left
  const parts = [text({ x: 0, y: y + 15, content: label })]
  for (const name of processes) {
    const us = cpu[name] ?? 0
    const length = (us / longest) * (width - left - right)
    parts.push(
      `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${colors[name]}"><title>${name}: ${shown(us)} µs</title></rect>`,
    )
    x += length
  }
  parts.push(text({ x: x + 8, y: y + 15, content: `${shown(sumOf(cpu))} µs` }))
  return parts.join('\n')
}

function text(of: { x: number; y: number; content: string; className?: string }): string {
  const { x, y, content, className } = of
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const attribute = className === undefined ? '' : ` class="${className}"`
  return `<text x="${x.toFixed(1)}" y="${y}"${attribute}>${escaped}</text>`
}

function sumOf(cpu: CpuByProcess): number {
  return processes.reduce((sum, name) => sum + (cpu[name] ?? 0), 0)
}

function shown(us: number): string {
  return us < 100 ? us.toFixed(1) : Math.round(us).toLocaleString('en-US')
}
