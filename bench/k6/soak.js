// Soak test for memory leaks: half an hour at a moderate rate. Watch the resident memory of each
// process meanwhile (/metrics, process_resident_memory_bytes). Options: RATE, DURATION.
import { fromEnv, readTarget, sendRequest } from './workload.js'

export const options = {
  scenarios: {
    soak: {
      executor: 'constant-arrival-rate',
      rate: Number(fromEnv('RATE', 200)),
      timeUnit: '1s',
      duration: fromEnv('DURATION', '30m'),
      preAllocatedVUs: 30,
      maxVUs: 200,
    },
  },
  thresholds: {
    checks: ['rate>0.9999'],
    http_req_failed: ['rate<0.0001'],
    http_req_duration: ['p(99)<250', 'p(99.9)<1000'],
  },
}

export const setup = readTarget
export default sendRequest
