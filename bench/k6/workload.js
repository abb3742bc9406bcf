// The canonical workload for k6: envelopes.json contains requests of bench/load/workload.ts with
// placeholders for the ids. Every request gets new ids and the current time. Nothing outside this
// folder is imported, so the scripts also run in the image grafana/k6.

import { check, fail } from 'k6'
import { SharedArray } from 'k6/data'
import exec from 'k6/execution'
import http from 'k6/http'
import { Counter } from 'k6/metrics'

const eventsAccepted = new Counter('events_accepted')

// Requests of each kind out of a hundred; every `gzipEvery`-th request of a kind is compressed.
const mix = [
  { kind: '1k', upTo: 80, gzipEvery: 0 },
  { kind: '10k', upTo: 94, gzipEvery: 4 },
  { kind: '50k', upTo: 99, gzipEvery: 2 },
  { kind: 'batch', upTo: 100, gzipEvery: 4 },
]

// Splits each envelope into the texts between its ids and the indexes of these ids.
const templates = Object.fromEntries(
  mix.map(({ kind }) => [kind, new SharedArray(kind, () => readTemplates(kind))]),
)

function readTemplates(kind) {
  const { madeAtMs, envelopes } = JSON.parse(open('./envelopes.json'))
  const nowMs = Date.now()
  return envelopes[kind].map((envelope) => {
    const parts = atTime(envelope, madeAtMs, nowMs).split(/\{\{(\d+)\}\}/)
    const ids = parts.filter((_, index) => index % 2 === 1).map(Number)
    const texts = parts.filter((_, index) => index % 2 === 0)
    return { texts, ids, eventCount: new Set(ids).size }
  })
}

// Moves timestamps from the creation of the file to now. Seconds keep ten digits and three
// decimals, so that the lengths in item headers stay correct.
function atTime(envelope, madeAtMs, nowMs) {
  const sentAt = (ms) => `"sent_at":"${new Date(ms).toISOString()}"`
  return envelope
    .replace(sentAt(madeAtMs), sentAt(nowMs))
    .replace(/"timestamp":(\d{10}(?:\.\d+)?)/g, (_found, seconds) => {
      const decimals = seconds.split('.')[1] || ''
      const moved = Number(seconds) + Math.floor((nowMs - madeAtMs) / 1000)
      return `"timestamp":${moved.toFixed(decimals.length)}`
    })
}

// Parses DSN (http://<public key>@<host>/<project>). BASE_URL replaces its host.
export function readTarget() {
  const found = /^(https?:\/\/)([0-9a-f]{32})(?::[^@]*)?@([^/]+)(\/.*?)?\/(\d+)$/.exec(
    __ENV.DSN || '',
  )
  if (!found) fail('Set DSN to the DSN of a project: k6 run -e DSN=http://<key>@<host>:<port>/<id>')
  const [, scheme, publicKey, host, prefix, projectId] = found
  const base = (__ENV.BASE_URL || `${scheme}${host}${prefix || ''}`).replace(/\/$/, '')
  const query = `sentry_version=7&sentry_key=${publicKey}&sentry_client=sentry.javascript.node%2F11.11.0`
  return { url: `${base}/api/${projectId}/envelope/?${query}`, runId: hexDigits(16) }
}

function hexDigits(count) {
  const bytes = new Uint8Array(count / 2)
  crypto.getRandomValues(bytes)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// Sends one request of the mix. `target` is the result of readTarget() in setup().
export function sendRequest(target) {
  const iteration = exec.scenario.iterationInTest
  const { kind, gzipEvery } = mix.find(({ upTo }) => iteration % 100 < upTo)
  const choices = templates[kind]
  const template = choices[iteration % choices.length]
  const body = fillIn(template, `${target.runId}${iteration.toString(16).padStart(10, '0')}`)
  const params = { headers: { 'User-Agent': 'sentry.javascript.node/11.11.0' }, tags: { kind } }
  if (gzipEvery > 0 && iteration % gzipEvery === 0) params.compression = 'gzip'
  const response = http.post(target.url, body, params)
  const accepted = check(response, { 'answered 200': ({ status }) => status === 200 })
  if (accepted) eventsAccepted.add(template.eventCount)
}

// 16 digits for the run, 10 for the iteration, 6 for the event in its envelope.
function fillIn({ texts, ids }, start) {
  let body = texts[0]
  for (let index = 0; index < ids.length; index += 1) {
    body += start + ids[index].toString(16).padStart(6, '0') + texts[index + 1]
  }
  return body
}

export function fromEnv(name, fallback) {
  return __ENV[name] || fallback
}
