// A bad deployment: errors go up forty-fold within seconds, stay, and fall. RATE is the peak.
// Everything must still be answered 200; it may take longer.
import { fromEnv, readTarget, sendRequest } from './workload.js'

const peak = Number(fromEnv('RATE', 2000))

export const options = {
  scenarios: {
    spike: {
      executor: 'ramping-arrival-rate',
      startRate: Math.ceil(peak / 40),
      timeUnit: '1s',
      preAllocatedVUs: 200,
      maxVUs: 1000,
      stages: [
        { target: Math.ceil(peak / 40), duration: '10s' },
        { target: peak, duration: '5s' },
        { target: peak, duration: fromEnv('DURATION', '20s') },
        { target: Math.ceil(peak / 40), duration: '5s' },
        { target: Math.ceil(peak / 40), duration: '10s' },
      ],
    },
  },
  thresholds: {
    checks: ['rate>0.999'],
    http_req_failed: ['rate<0.001'],
    http_req_duration: ['p(99)<2000'],
  },
}

export const setup = readTarget
export default sendRequest
