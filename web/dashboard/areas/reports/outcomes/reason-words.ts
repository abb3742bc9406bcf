/** What an outcome and its reason mean, and what to do about it. */

export interface ReasonWords {
  readonly title: string
  readonly meaning: string
  readonly action: string
  /** A page below the project, or of the documentation. */
  readonly link?: { readonly label: string; readonly path: string }
}

export const outcomeNames: Readonly<Record<string, string>> = {
  accepted: 'Accepted',
  over_quota: 'Over quota',
  rejected: 'Rejected',
  filtered: 'Filtered',
  duplicate: 'Duplicate',
  unsupported: 'Unsupported',
  client_discard: 'Dropped by clients',
}

const quota = { label: 'Open the quota', path: 'quota' }
const filters = { label: 'Open the filters', path: 'settings' }
const keys = { label: 'Open the DSN keys', path: 'settings' }
const monitors = { label: 'Open the monitors', path: 'monitors' }

const unkeptAttachment: ReasonWords = {
  title: 'Not stored: attachment',
  meaning: 'The project does not keep the files that SDKs send with events.',
  action: 'Switch it on in the settings if you want to see screenshots, logs and minidumps.',
  link: { label: 'Open the settings', path: 'settings/attachments' },
}

const overQuota: Readonly<Record<string, ReasonWords>> = {
  '': {
    title: 'Monthly quota used up',
    meaning: 'The project had used all events of its month, so further ones were refused.',
    action: 'Raise the monthly limit, or find the issue that uses the most and ignore or fix it.',
    link: quota,
  },
  spike_limit: {
    title: 'Too many events per minute',
    meaning: 'The project sent more events in a minute than its limit permits.',
    action: 'Raise the limit per minute, or find what sent so many at that time.',
    link: quota,
  },
  key_limit: {
    title: 'Too many events per minute of a key',
    meaning: 'One DSN key sent more events in a minute than its own limit permits.',
    action: 'Raise the limit of the key, or find the component that uses it.',
    link: keys,
  },
  attachment_bytes: {
    title: 'Space for attachments used up',
    meaning: 'The files of a day were larger than the project keeps. Their events were kept.',
    action: 'Raise the space in the settings of attachments, or send fewer files.',
    link: { label: 'Open the settings', path: 'settings/attachments' },
  },
  quota_unavailable: {
    title: 'Quota could not be checked',
    meaning:
      'Postgres did not answer, and what may be accepted without it was used up at that time.',
    action: 'Ask the operator to look at the health of Postgres at that time.',
  },
}

const filtered: Readonly<Record<string, ReasonWords>> = {
  releases: filterWords('Release is filtered', 'Their release matches a pattern of your filters.'),
  error_messages: filterWords(
    'Message is filtered',
    'Their message matches a pattern of your filters.',
  ),
  browser_extensions: filterWords(
    'Browser extension',
    'The error came from a script that a browser extension injected into the page.',
  ),
  localhost: filterWords('Localhost', 'They came from a page or server on localhost.'),
  web_crawlers: filterWords('Web crawler', 'They came from the crawler of a search engine.'),
  legacy_browsers: filterWords(
    'Old browser',
    'They came from a browser that its vendor no longer supports.',
  ),
}

function filterWords(title: string, meaning: string): ReasonWords {
  const action = 'This is what you asked for. Switch the filter off if something is missing.'
  return { title, meaning, action, link: filters }
}

const sdk =
  'Update the SDK; if it is your own client, compare what it sends with the documentation.'

const rejected: Readonly<Record<string, ReasonWords>> = {
  malformed_envelope: {
    title: 'Envelope cannot be read',
    meaning: 'The request is not an envelope: its lines or lengths are wrong.',
    action: sdk,
  },
  invalid_json: { title: 'Invalid JSON', meaning: 'The item is not valid JSON.', action: sdk },
  invalid_event: {
    title: 'Invalid event',
    meaning: 'The item is JSON, but not an event.',
    action: sdk,
  },
  invalid_check_in: {
    title: 'Invalid check-in',
    meaning: 'A check-in has no valid slug or status.',
    action: 'Compare it with the snippets of a monitor.',
    link: monitors,
  },
  invalid_feedback: { title: 'Invalid feedback', meaning: 'Feedback has no message.', action: sdk },
  invalid_session: {
    title: 'Invalid session',
    meaning: 'A session has no id, release or valid time, or its time is too old.',
    action: 'Set the release in the SDK and check the clocks of the clients.',
  },
  invalid_monitor_config: {
    title: 'Invalid monitor settings',
    meaning:
      'The schedule or a limit in a check-in is wrong. The check-in still counts; the settings stay.',
    action: 'The page of the monitor shows which field is invalid.',
    link: monitors,
  },
  too_large: {
    title: 'Too large',
    meaning:
      'The item is larger than 1 MiB (an attachment: 20 MiB, or 40 MiB with the others of its event), or the request larger than 20 MiB.',
    action: 'Send less: shorter breadcrumbs, extra data and local variables.',
  },
  too_deep: {
    title: 'Nested too deeply',
    meaning: 'The JSON of the item has too many levels.',
    action: 'Flatten the extra data or contexts that you attach.',
  },
  too_many_items: {
    title: 'Too many items',
    meaning:
      'The envelope has more than 1,000 items or 100 sessions, or the event more than 20 attachments.',
    action: sdk,
  },
  bad_encoding: {
    title: 'Cannot be decompressed',
    meaning: 'The compression of the request is broken or not supported.',
    action: 'Look for a proxy that changes requests on their way.',
  },
  origin_not_allowed: {
    title: 'Origin not allowed',
    meaning: 'The page that sent it is not one of the allowed origins.',
    action: 'Add the origin of the page, or remove the restriction.',
    link: { label: 'Open the allowed origins', path: 'settings' },
  },
  invalid_attachment: {
    title: 'Attachment without an event',
    meaning: 'The file came in an envelope that names no event, or its upload cannot be read.',
    action: sdk,
  },
  storage_unavailable: {
    title: 'Storage of files not available',
    meaning: 'The object store did not take the file in time. The event itself was kept.',
    action: 'Ask the operator to look at the object store at that time.',
  },
  undigestible: {
    title: 'Could not be processed',
    meaning: 'The item was accepted, but processing it failed. It is kept as a dead letter.',
    action: 'An operator can look at it and retry it on the page Operation.',
    link: { label: 'Open Operation', path: '/operation' },
  },
  check_in_rate: {
    title: 'Too many check-ins',
    meaning: 'More than 6 check-ins a minute came for one environment of a monitor.',
    action: 'Give jobs that run more often several monitors, or send fewer check-ins.',
    link: monitors,
  },
  check_in_id_in_use: {
    title: 'Check-in id in use',
    meaning: 'The id belongs to a run of another monitor or environment.',
    action: 'Create a new check_in_id for every run.',
    link: monitors,
  },
  check_in_already_finished: {
    title: 'Run has already ended',
    meaning: 'A result came for a run that has one.',
    action: 'Send one ok or error for each run.',
    link: monitors,
  },
  too_many_runs: {
    title: 'Too many open runs',
    meaning: '200 runs of one environment are open.',
    action: 'Send ok or error when a run ends.',
    link: monitors,
  },
  too_many_environments: {
    title: 'Too many environments',
    meaning: 'The monitor has 50 environments.',
    action: 'Do not put host names or ids into the environment.',
    link: monitors,
  },
  too_many_monitors: {
    title: 'Too many monitors',
    meaning: 'The project has 1,000 monitors.',
    action: 'Delete monitors, or do not put ids into slugs.',
    link: monitors,
  },
  monitor_deleted: {
    title: 'Monitor was deleted',
    meaning: 'The monitor was deleted at the same moment.',
    action: 'The next check-in creates it again.',
    link: monitors,
  },
}

const discarded: Readonly<Record<string, ReasonWords>> = {
  sample_rate: {
    title: 'Sampled by the SDK',
    meaning: 'The sample rate of the SDK dropped them.',
    action: 'Raise sampleRate in the options of the SDK if too much is missing.',
  },
  before_send: {
    title: 'Dropped by beforeSend',
    meaning: 'Your beforeSend returned null for them.',
    action: 'Look at beforeSend in the options of the SDK.',
  },
  event_processor: {
    title: 'Dropped by an event processor',
    meaning: 'An event processor or integration returned null for them.',
    action: 'Look at ignoreErrors, denyUrls and your event processors.',
  },
  ratelimit_backoff: {
    title: 'Not sent because of a rate limit',
    meaning: 'A response told the SDK to pause, usually because the quota was used up.',
    action: 'Look at what was over quota at that time.',
    link: quota,
  },
  network_error: {
    title: 'Network error',
    meaning: 'The SDK could not reach the server.',
    action:
      'Look for ad blockers, proxies and outages; a tunnel on your own domain passes blockers.',
  },
  queue_overflow: {
    title: 'Queue was full',
    meaning: 'The SDK produced more than it could send.',
    action: 'Look for an error in a loop, or enlarge the queue of the SDK.',
  },
  cache_overflow: {
    title: 'Offline cache was full',
    meaning: 'The SDK was offline for long, and its cache was full.',
    action: 'Enlarge the cache of the SDK if these matter.',
  },
  buffer_overflow: {
    title: 'Buffer was full',
    meaning: 'The SDK produced more than it could send.',
    action: 'Look for an error in a loop.',
  },
  backpressure: {
    title: 'Backpressure',
    meaning: 'The SDK sampled less because the host was busy.',
    action: 'This protects the host; switch it off in the SDK if too much is missing.',
  },
  send_error: {
    title: 'Refused by the server',
    meaning: 'The server answered with an error that is not a rate limit.',
    action: 'Look at what was rejected at that time.',
  },
  internal_sdk_error: {
    title: 'Error in the SDK',
    meaning: 'The SDK failed while it prepared them.',
    action: 'Update the SDK.',
  },
  insufficient_data: {
    title: 'Not enough data',
    meaning: 'The SDK had too little data to send them.',
    action: 'Nothing to do in most cases.',
  },
  invalid: {
    title: 'Invalid in the SDK',
    meaning: 'The SDK found them invalid before sending.',
    action: 'Update the SDK.',
  },
  ignored: {
    title: 'Ignored by the SDK',
    meaning: 'The options of the SDK ignore them.',
    action: 'Look at the options of the SDK.',
  },
  no_parent_span: {
    title: 'No parent span',
    meaning: 'Spans without a parent were not sent.',
    action: 'Nothing to do: spans are not stored here.',
  },
}

const unknownWords: Readonly<Record<string, Omit<ReasonWords, 'title'>>> = {
  rejected: { meaning: 'Ingest or the workers refused these items.', action: sdk },
  over_quota: {
    meaning: 'A limit of the project was met.',
    action: 'Look at the quota.',
    link: quota,
  },
  filtered: {
    meaning: 'A filter of the project dropped them.',
    action: 'Look at the filters.',
    link: filters,
  },
  client_discard: {
    meaning: 'The SDK reported that it dropped them.',
    action: 'Look at the options of the SDK.',
  },
}

/** For everything but what was accepted. Unknown reasons keep their name. */
export function reasonWords(outcome: string, reason: string | null): ReasonWords {
  const name = reason ?? ''
  if (outcome === 'duplicate') {
    return {
      title: 'Received before',
      meaning: 'The same item had been received within 24 hours, mostly because a client retried.',
      action: 'Nothing to do: it is stored once and costs nothing twice.',
    }
  }
  if (outcome === 'unsupported') {
    const item = name.slice(name.indexOf(':') + 1) || 'unknown'
    if (item === 'attachment') return unkeptAttachment
    return {
      title: `Not stored: ${item}`,
      meaning: `Items of the type ${item} are received and not stored.`,
      action: 'Switch them off in the SDK to save bandwidth: tracing, profiling, replays.',
    }
  }
  const known =
    outcome === 'over_quota'
      ? overQuota[name]
      : outcome === 'filtered'
        ? filtered[name.replace(/^filtered:/, '')]
        : outcome === 'rejected'
          ? rejected[name]
          : outcome === 'client_discard'
            ? discarded[name]
            : undefined
  if (known !== undefined) return known
  const { [outcome]: rest } = unknownWords
  return {
    title: name === '' ? (outcomeNames[outcome] ?? outcome) : name,
    ...(rest ?? { meaning: 'Why is not known here.', action: 'Ask the operator.' }),
  }
}

export const categoryNames: Readonly<Record<string, string>> = {
  error: 'errors',
  default: 'messages',
  transaction: 'transactions',
  session: 'sessions',
  attachment: 'attachments',
  monitor: 'check-ins',
  internal: 'client reports',
  feedback: 'feedback',
  user_report_v2: 'user reports',
  span: 'spans',
  log_item: 'logs',
  trace_metric: 'metrics',
  profile: 'profiles',
  profile_chunk: 'profile chunks',
  replay: 'replays',
  metric_bucket: 'metric buckets',
  security: 'security reports',
  unknown: 'unknown items',
}
