// Smoke test: a few requests of every kind for some seconds.
import { fromEnv, readTarget, sendRequest } from './workload.js'

export const options = {
  scenarios: {
    smoke: {
      executor: 'constant-arrival-rate',
      rate: Number(fromEnv('RATE', 20)),
      timeUnit: '1s',
      duration: fromEnv('DURATION', '10s'),
      preAllocatedVUs: 5,
      maxVUs: 20,
    },
  },
  thresholds: {
    checks: ['rate==1'],
    http_req_failed: ['rate==0'],
    http_req_duration: ['p(99)<500'],
    dropped_iterations: ['count==0'],
  },
}

export const setup = readTarget
export default sendRequest
