// Spike, as after a bad deployment: the rate of errors rises forty-fold within seconds, stays, and
// falls. All requests must be answered 200, but may take longer. Options: RATE (at the peak).
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
