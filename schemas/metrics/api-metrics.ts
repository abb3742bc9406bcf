import type { MetricDefinitions } from './metric-definition.ts'

/** Metrics of an API process. */
export const apiMetrics = {
  requestDuration: {
    name: 'api_request_duration_seconds',
    type: 'histogram',
    help: 'Seconds from a request until its reply was sent, by method, route and HTTP status. Status 500 is a defect, and 503 a store that does not respond.',
    labels: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  portalAddressesForgotten: {
    name: 'api_portal_addresses_forgotten_total',
    type: 'counter',
    help: 'Client addresses whose rate windows were evicted because there were too many. An increase means that portal rate limits can be evaded from many addresses.',
    labels: [],
  },
} as const satisfies MetricDefinitions
