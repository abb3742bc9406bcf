/**
 * Writes the Grafana dashboard: a first row with what an operator looks at first, then every metric
 * of the catalogue by process.
 */
import { type MetricProcess, metricProcesses, ownMetricsOf } from '#schemas/metrics/catalogue.ts'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import { ingestMetrics } from '#schemas/metrics/ingest-metrics.ts'
import { mailerMetrics } from '#schemas/metrics/mailer-metrics.ts'
import type { MetricDefinition } from '#schemas/metrics/metric-definition.ts'
import { upkeepMetrics } from '#schemas/metrics/upkeep-metrics.ts'
import { workerMetrics } from '#schemas/metrics/worker-metrics.ts'
import { alertGroups } from './alert-groups.ts'

export interface DashboardPanel {
  readonly title: string
  readonly description: string
  readonly expression: string
  readonly unit: string
}

interface Row {
  readonly title: string
  readonly panels: readonly DashboardPanel[]
}

const datasource = { type: 'prometheus', uid: '$' + '{datasource}' }
const columns = 3
const columnWidth = 24 / columns
const panelHeight = 7

const titles: Readonly<Record<MetricProcess, string>> = {
  ingest: 'Ingest',
  workers: 'Workers',
  mailer: 'Mailer',
  api: 'API',
}

/** Metrics of which every process reports the same, or one process reports for all. */
const aggregatedByMax = /^(?:workers_(?!partitions_owned)|mailer_|sluice_)/

const overview: Row = {
  title: 'Is anything lost, late or full?',
  panels: [
    {
      title: 'Alerts',
      description: 'Alerts that fire. Each has a page in docs/runbooks.',
      expression: `sum by (alertname) (ALERTS{alertstate="firing", alertname=~"${alertNames()}"})`,
      unit: 'none',
    },
    {
      title: 'Lag of the workers',
      description: workerMetrics.lagSeconds.help,
      expression: `max by (partition) (${workerMetrics.lagSeconds.name})`,
      unit: 's',
    },
    {
      title: 'Events per second',
      description: workerMetrics.eventsDigested.help,
      expression: `sum(rate(${workerMetrics.eventsDigested.name}[$__rate_interval]))`,
      unit: 'none',
    },
    {
      title: 'Items dropped per second',
      description: workerMetrics.itemsDropped.help,
      expression: `sum by (outcome, reason) (rate(${workerMetrics.itemsDropped.name}[$__rate_interval]))`,
      unit: 'none',
    },
    {
      title: 'Oldest email',
      description: mailerMetrics.oldestEmail.help,
      expression: `max by (lane) (${mailerMetrics.oldestEmail.name})`,
      unit: 's',
    },
    {
      title: 'Replies of ingest per second',
      description: ingestMetrics.replies.help,
      expression: `sum by (status) (rate(${ingestMetrics.replies.name}[$__rate_interval]))`,
      unit: 'none',
    },
    {
      title: 'Time until a disk is full',
      description: commonMetrics.diskFullSeconds.help,
      expression: `min by (instance, folder) (${commonMetrics.diskFullSeconds.name})`,
      unit: 's',
    },
    {
      title: 'Quota used by the nearest projects',
      description: upkeepMetrics.quotaUsedRatio.help,
      expression: `max by (project) (${upkeepMetrics.quotaUsedRatio.name})`,
      unit: 'percentunit',
    },
    {
      title: 'Write-ahead log used',
      description: ingestMetrics.logBytes.help,
      expression: `max by (instance) (${ingestMetrics.logBytes.name} / ${ingestMetrics.logLimitBytes.name})`,
      unit: 'percentunit',
    },
  ],
}

export function dashboardRows(): readonly Row[] {
  return [
    overview,
    { title: 'Every process', panels: Object.values(commonMetrics).map(panelOf) },
    ...metricProcesses.map((process) => ({
      title: titles[process],
      panels: ownMetricsOf(process).map(panelOf),
    })),
  ]
}

export function dashboard(): string {
  const panels: object[] = []
  let y = 0
  for (const [index, row] of dashboardRows().entries()) {
    const isCollapsed = index > 0
    const inner = row.panels.map((panel, at) => grafanaPanel(panel, at, y + 1))
    const head = { type: 'row', title: row.title, gridPos: { x: 0, y, w: 24, h: 1 } }
    // Grafana wants the panels of a collapsed row inside it, and of an open row behind it.
    if (isCollapsed) panels.push({ ...head, collapsed: true, panels: inner })
    else panels.push({ ...head, collapsed: false, panels: [] }, ...inner)
    y += 1 + (isCollapsed ? 0 : Math.ceil(inner.length / columns) * panelHeight)
  }
  const numbered = JSON.stringify({
    title: 'Sluice',
    uid: 'sluice',
    tags: ['sluice'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    panels: withIds(panels),
  })
  // In the layout of the formatter of this repository.
  const text = JSON.stringify(JSON.parse(numbered), undefined, 2)
  return `${text.replace(/\[\s+"sluice"\s+\]/, '["sluice"]')}\n`
}

function panelOf(definition: MetricDefinition): DashboardPanel {
  const { name, help } = definition
  return {
    title: name,
    description: help,
    expression: expressionOf(definition),
    unit: unitOf(name),
  }
}

function expressionOf({ name, type, labels }: MetricDefinition): string {
  const by = (extra: readonly string[]) => {
    const all = [...labels, ...extra]
    return all.length === 0 ? '' : ` by (${all.join(', ')})`
  }
  if (type === 'histogram') {
    return `histogram_quantile(0.95, sum by (le) (rate(${name}_bucket[$__rate_interval])))`
  }
  if (type === 'counter') return `sum${by([])} (rate(${name}[$__rate_interval]))`
  const isShared = aggregatedByMax.test(name) && labels.length > 0
  return `max${by(isShared ? [] : ['instance'])} (${name})`
}

function unitOf(name: string): string {
  if (name.endsWith('last_success_seconds')) return 'dateTimeFromNow'
  if (name.endsWith('_seconds') || name.includes('_seconds_')) return 's'
  if (name.endsWith('_bytes') || name.endsWith('_bytes_in_flight')) return 'bytes'
  return name.endsWith('_ratio') ? 'percentunit' : 'none'
}

function grafanaPanel(panel: DashboardPanel, at: number, top: number): object {
  const { title, description, expression, unit } = panel
  return {
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos: {
      x: (at % columns) * columnWidth,
      y: top + Math.floor(at / columns) * panelHeight,
      w: columnWidth,
      h: panelHeight,
    },
    fieldConfig: {
      // Unix times are in seconds, and Grafana wants milliseconds.
      defaults: { unit, min: unit === 'dateTimeFromNow' ? null : 0 },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: [
      {
        refId: 'A',
        datasource,
        expr: unit === 'dateTimeFromNow' ? `${expression} * 1000` : expression,
      },
    ],
  }
}

function withIds(panels: readonly object[]): object[] {
  let id = 0
  const numberAll = (list: readonly object[]): object[] =>
    list.map((panel) => {
      id += 1
      const inner = 'panels' in panel ? { panels: numberAll(panel.panels as object[]) } : {}
      return { id, ...panel, ...inner }
    })
  return numberAll(panels)
}

function alertNames(): string {
  return alertGroups.flatMap(({ alerts }) => alerts.map(({ name }) => name)).join('|')
}
