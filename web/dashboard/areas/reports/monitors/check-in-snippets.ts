/** How a job reports its runs, with the address and the slug of the monitor filled in. */

export interface Snippet {
  readonly label: string
  readonly code: string
}

export interface SnippetInput {
  /** `https://<key>@<host>/<project>`; undefined when the project has no active key. */
  readonly dsn: string | undefined
  readonly slug: string
}

export function checkInUrl({ dsn, slug }: SnippetInput): string {
  const fallback = `https://<host>/api/<project>/cron/${slug}/<public key>/`
  if (dsn === undefined || !URL.canParse(dsn)) return fallback
  const url = new URL(dsn)
  const project = url.pathname.split('/').at(-1) ?? ''
  const before = url.pathname.slice(0, -project.length)
  return `${url.protocol}//${url.host}${before}api/${project}/cron/${slug}/${url.username}/`
}

export function checkInSnippets(input: SnippetInput): readonly Snippet[] {
  const url = checkInUrl(input)
  const dsn = input.dsn ?? 'https://<key>@<host>/<project>'
  const { slug } = input
  return [
    {
      label: 'cron with curl',
      code: `# m h dom mon dow: every day at 03:00
0 3 * * * curl -fsS "${url}?status=in_progress"; ./backup.sh && S=ok || S=error; curl -fsS "${url}?status=$S"`,
    },
    {
      label: 'curl, with its schedule',
      code: `curl -f -H 'Content-Type: application/json' "${url}" -d '{
  "status": "in_progress",
  "monitor_config": {
    "schedule": { "type": "crontab", "value": "0 3 * * *" },
    "timezone": "Europe/Berlin", "checkin_margin": 5, "max_runtime": 30 } }'
./backup.sh && STATUS=ok || STATUS=error
curl -f "${url}?status=$STATUS"`,
    },
    {
      label: 'sentry-cli',
      code: `export SENTRY_DSN='${dsn}'
sentry-cli monitors run ${slug} --schedule '0 3 * * *' --timezone Europe/Berlin -- ./backup.sh`,
    },
    {
      label: 'Node',
      code: `import * as Sentry from '@sentry/node'

Sentry.init({ dsn: '${dsn}' })
await Sentry.withMonitor('${slug}', () => backUp(), {
  schedule: { type: 'crontab', value: '0 3 * * *' },
  timezone: 'Europe/Berlin',
  checkinMargin: 5,
  maxRuntime: 30,
})`,
    },
    {
      label: 'Python',
      code: `import sentry_sdk
from sentry_sdk.crons import monitor

sentry_sdk.init(dsn="${dsn}")

@monitor(monitor_slug="${slug}", monitor_config={
    "schedule": {"type": "crontab", "value": "0 3 * * *"},
    "timezone": "Europe/Berlin", "checkin_margin": 5, "max_runtime": 30})
def back_up():
    ...`,
    },
    {
      label: 'PHP (Laravel)',
      code: `Schedule::command('backup:run')
    ->dailyAt('03:00')
    ->sentryMonitor('${slug}');`,
    },
    {
      label: 'Ruby',
      code: `class BackupJob < ApplicationJob
  include Sentry::Cron::MonitorCheckIns
  sentry_monitor_check_ins slug: '${slug}',
    monitor_config: Sentry::Cron::MonitorConfig.from_crontab('0 3 * * *')
end`,
    },
    {
      label: 'Go',
      code: `id := sentry.CaptureCheckIn(&sentry.CheckIn{
	MonitorSlug: "${slug}", Status: sentry.CheckInStatusInProgress}, nil)
// …
sentry.CaptureCheckIn(&sentry.CheckIn{
	ID: *id, MonitorSlug: "${slug}", Status: sentry.CheckInStatusOK}, nil)`,
    },
  ]
}
