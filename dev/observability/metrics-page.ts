/** Writes docs/operations/metrics.md: every metric with its type, labels and help. */
import {
  allMetrics,
  labelHelp,
  type MetricProcess,
  metricProcesses,
  ownMetricsOf,
} from '#schemas/metrics/catalogue.ts'
import { commonMetrics } from '#schemas/metrics/common-metrics.ts'
import type { MetricDefinition } from '#schemas/metrics/metric-definition.ts'

const titles: Readonly<Record<MetricProcess, string>> = {
  ingest: 'Ingest',
  workers: 'Workers',
  mailer: 'Mailer',
  api: 'API',
}

const introduction = `# Metrics

Find out what a metric means and which labels it has. This page is generated from \`schemas/metrics/\`
by \`npm run observability\`; do not edit it.

Each process serves its metrics on its [operations port](../operations.md#operations-ports),
together with the default metrics of Node (\`process_…\`, \`nodejs_…\`). To use them:

- \`dev/deploy/prometheus/prometheus.yml\` is an example of a scrape configuration. Call the job
  \`sluice\`.
- \`dev/deploy/prometheus/sluice-alerts.yml\` holds the alert rules. Each alert has a
  [runbook](../runbooks/README.md). \`npm run observability -- --runbooks <url>\` writes the
  address of your copy of the runbooks into the rules.
- \`dev/deploy/grafana/sluice.json\` is a dashboard: import it into Grafana and choose the Prometheus
  data source.

With several processes of one kind, use \`max by (partition)\` of metrics of partitions and
\`max by (…)\` of metrics that one process reports for all. Sum counters.`

export function metricsPage(): string {
  const sections = [
    introduction,
    section('Every process', Object.values(commonMetrics)),
    ...metricProcesses.map((process) => section(titles[process], ownMetricsOf(process))),
    labels(),
  ]
  return `${sections.join('\n\n')}\n`
}

function section(title: string, definitions: readonly MetricDefinition[]): string {
  const rows = definitions.map(({ name, type, labels: names, help, optional }) => {
    const note = optional === undefined ? '' : ` (${optional})`
    return `| \`${name}\` | ${type} | ${names.map((label) => `\`${label}\``).join(', ')} | ${help}${note} |`
  })
  return [
    `## ${title}`,
    '',
    '| Metric | Type | Labels | Meaning |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function labels(): string {
  const used = [...new Set(allMetrics.flatMap(({ labels: names }) => names))]
  const rows = used.map((label) => `| \`${label}\` | ${labelHelp[label]} |`)
  return ['## Labels', '', '| Label | Values |', '|---|---|', ...rows].join('\n')
}
