// Constant rate. Options: RATE, DURATION.
import { fromEnv, readTarget, sendRequest } from './workload.js'

export const options = {
  scenarios: {
    steady: {
      executor: 'constant-arrival-rate',
      rate: Number(fromEnv('RATE', 500)),
      timeUnit: '1s',
      duration: fromEnv('DURATION', '1m'),
      preAllocatedVUs: 50,
      maxVUs: 300,
    },
  },
  thresholds: {
    checks: ['rate>0.9999'],
    http_req_failed: ['rate<0.0001'],
    http_req_duration: ['p(50)<20', 'p(99)<250'],
  },
}

export const setup = readTarget
export default sendRequest
