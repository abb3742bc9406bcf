import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import {
  allMetrics,
  labelHelp,
  metricProcesses,
  metricsOfProcess,
} from '#schemas/metrics/catalogue.ts'
import { alertGroups } from './alert-groups.ts'
import { dashboardRows } from './dashboard.ts'
import { generatedFiles, runbookFolder } from './generated-files.ts'
import { readExpression } from './read-expression.ts'

const alerts = alertGroups.flatMap((group) => group.alerts)
const panels = dashboardRows().flatMap((row) => row.panels)
const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')

test.each([...generatedFiles()])('%s is what `npm run observability` writes', (path, content) => {
  expect(read(path)).toBe(content)
})

describe('the catalogue', () => {
  test.each(metricProcesses)('of %s names each metric once', (process) => {
    const names = metricsOfProcess(process).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(allMetrics.map((metric) => [metric.name, metric] as const))(
    '%s has a name of its process, whole sentences, and labels that are explained',
    (name, { type, help, labels }) => {
      expect(name).toMatch(/^(?:sluice|ingest|workers|mail|mailer|api)_[a-z0-9_]+$/)
      expect(name.endsWith('_total')).toBe(type === 'counter')
      expect(help).toMatch(/^[A-Z0-9].{14,}\.$/)
      expect(help).not.toMatch(/[\n|\\]/)
      for (const label of labels) expect(labelHelp[label]).toBeDefined()
    },
  )
})

const expressions = [
  ...alerts.map(({ name, expression }) => [`alert ${name}`, expression] as const),
  ...panels.map(({ title, expression }) => [`panel ${title}`, expression] as const),
]

test.each(expressions)(
  'the expression of %s names only metrics and labels that exist',
  (_, text) => {
    const known = new Map(allMetrics.map((metric) => [metric.name, metric]))
    const { metrics, grouped } = readExpression(text)
    expect(metrics.length).toBeGreaterThan(0)
    // Prometheus adds the first two to every series.
    const available = new Set(['instance', 'job', 'le', 'alertname'])
    for (const { name, labels } of metrics) {
      if (name === 'up' || name === 'ALERTS') continue
      const metric = known.get(name.replace(/_bucket$/, ''))
      expect(metric, `${name} is in the catalogue`).toBeDefined()
      for (const label of metric!.labels) available.add(label)
      for (const label of labels) expect(metric!.labels).toContain(label)
    }
    for (const label of grouped) expect(available, `by (${label})`).toContain(label)
  },
)

test('the dashboard shows every metric of the catalogue', () => {
  const shown = new Set(
    panels.flatMap(({ expression }) => readExpression(expression).metrics.map(({ name }) => name)),
  )
  const hidden = allMetrics.filter(({ name }) => !shown.has(name) && !shown.has(`${name}_bucket`))
  expect(hidden.map(({ name }) => name)).toEqual([])
})

describe('runbooks', () => {
  const pages = readdirSync(join(projectRoot, runbookFolder)).filter((name) => name !== 'README.md')

  test('each page belongs to an alert, and the list has a row for each', () => {
    const names = alerts.map(({ name }) => name)
    expect(pages.sort()).toEqual(names.map((name) => `${name}.md`).sort())
    const rows = read(`${runbookFolder}/README.md`).split('\n')
    const listed = rows.filter((row) => row.startsWith('| ['))
    expect(listed).toEqual(
      alerts.map(
        ({ name, severity, summary }) => `| [${name}](${name}.md) | ${severity} | ${summary} |`,
      ),
    )
  })

  test.each(alerts)('the page of $name has a symptom, a meaning, checks and steps', ({ name }) => {
    const path = `${runbookFolder}/${name}.md`
    expect(existsSync(join(projectRoot, path))).toBe(true)
    const lines = read(path).split('\n')
    expect(lines[0]).toBe(`# ${name}`)
    const headings = lines.filter((line) => line.startsWith('## '))
    expect(headings).toEqual(['## Symptom', '## Meaning', '## Check', '## Do'])
    for (const [at, line] of lines.entries()) {
      if (line.startsWith('## ')) expect(lines[at + 2]).toMatch(/\S/)
    }
  })

  test.each(alerts)('metrics that the page of $name greps for exist', ({ name }) => {
    const known = allMetrics.map((metric) => metric.name)
    for (const [, pattern = ''] of read(`${runbookFolder}/${name}.md`).matchAll(
      /^metrics \S+ '?([^'\n]+)'?$/gm,
    )) {
      for (const prefix of pattern.replace(/[({].*$/, '').split('|')) {
        const isKnown = known.some((metric) => `${metric}_`.startsWith(prefix))
        expect(isKnown || prefix.startsWith('process_'), prefix).toBe(true)
      }
    }
  })
})
