/**
 * The text that `npm start` prints when everything is running: URLs, keys and first commands.
 * Every command can be pasted without changes.
 */
import { type Demo, demoFileName } from './demo.ts'

/**
 * `sourceURL` gives the script of `node -e` a file name. Without one, the SDK marks its frames as
 * Node's own and not as the application's.
 */
export function describeDemo(demo: Demo, dataDir: string): string {
  const issues = `${demo.apiUrl}/api/v1/projects/${demo.projectId}/issues`
  const { publicKey, envelopeUrl } = splitDsn(demo)
  return `
Sluice is ready.

  Dashboard      ${demo.dashboardUrl}
  Owner login    ${demo.owner.email}  ${demo.owner.password}

  API reference  ${demo.apiUrl}/docs
  Ideas portal   ${demo.apiUrl}/portal/${demo.projectKey}
  Mailbox        ${demo.mailbox}  (emails that the built-in SMTP server captured)

  DSN            ${demo.dsn}  (for Sentry SDKs)
  DSN "worker"   ${demo.componentDsns.worker}
  DSN "cli"      ${demo.componentDsns.cli}
  Access token   ${demo.accessToken}  (header X-API-Key: issues, alerts and settings of projects)
  API key        ${demo.apiKey}  (header Authorization: Bearer: email)
  Project id     ${demo.projectId}

  Data folder    ${dataDir}  (the values above as JSON: ${demoFileName})

Next steps, in a second terminal:

1. Send an error with the Sentry SDK (in this folder; elsewhere run npm install @sentry/node first)

  node -e "const Sentry = require('@sentry/node'); Sentry.init({ dsn: '${demo.dsn}', release: 'demo@1.0.0', environment: 'demo' }); function checkout(cart) { return JSON.parse(cart) } try { checkout('{oops') } catch (error) { Sentry.captureException(error) } Sentry.flush(5000).then(() => console.log('sent')) //# sourceURL=/demo/shop.js"

   or with curl

  printf '%s\\n' '{"event_id":"'$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')'"}' '{"type":"event"}' '{"level":"warning","message":"Hello from curl","platform":"other"}' | curl -sS --data-binary @- '${envelopeUrl}?sentry_key=${publicKey}&sentry_version=7'

2. Read it in the dashboard, or list the issues

  curl -sS -H 'X-API-Key: ${demo.accessToken}' '${issues}'

3. Send an email and list the mailbox, where it arrives within a second

  curl -sS -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json' -d '{"newsletter":"${demo.newsletter}","to":"you@example.com","subject":"Hello","markdown":"It **works**."}' '${demo.apiUrl}/api/v1/send'
  sleep 1; curl -sS '${demo.mailbox}'

More commands: npm run admin -- --help
Press Ctrl-C to stop. The data is kept for the next start.
`
}

function splitDsn(demo: Demo): { publicKey: string; envelopeUrl: string } {
  const base = demo.ingestUrl.replace(/\/+$/, '')
  return {
    publicKey: new URL(demo.dsn).username,
    envelopeUrl: `${base}/api/${demo.dsnId}/envelope/`,
  }
}
