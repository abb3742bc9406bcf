import { alertRules } from './alert-rules.ts'
import { dashboard } from './dashboard.ts'
import { metricsPage } from './metrics-page.ts'

export const runbookFolder = 'docs/runbooks'

/** The files that are generated from the catalogue of metrics, by path. */
export function generatedFiles(runbooks = runbookFolder): ReadonlyMap<string, string> {
  return new Map([
    ['docs/operations/metrics.md', metricsPage()],
    ['dev/deploy/prometheus/sluice-alerts.yml', alertRules(runbooks)],
    ['dev/deploy/grafana/sluice.json', dashboard()],
  ])
}
