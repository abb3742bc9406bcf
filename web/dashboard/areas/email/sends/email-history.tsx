import type { ComponentChildren } from 'preact'
import { Badge } from '../../../design/content/badge.tsx'
import { countOf } from '../../../design/content/format.ts'
import { Time } from '../../../design/content/time.tsx'
import { BounceType, bounceCauses } from '../bounces/bounce-words.tsx'
import {
  type Attempt,
  attemptResults,
  attemptsNotKept,
  codeOf,
  placeOf,
  type SendDetail,
} from './attempt-words.ts'
import '../contacts/contact.css'
import './sends.css'

/** Each attempt to deliver an email with the reply of the mail server, and what came back. */
export function EmailHistory({
  start,
  attempts,
  attemptLog,
  nextAttemptAt,
  bounces,
  end,
}: Pick<SendDetail, 'attempts' | 'attemptLog' | 'nextAttemptAt' | 'bounces'> & {
  /** The first line of the list. */
  readonly start: ComponentChildren
  /** What the state means now; after all attempts. */
  readonly end: ComponentChildren
}) {
  const notKept = attemptsNotKept(attempts, attemptLog)
  const reports = [...bounces].reverse()
  return (
    <ol class="contact-history">
      {start}
      {notKept > 0 && (
        <li>
          <span class="soft">{countOf(notKept, 'attempt')}</span>
          <div class="soft">
            {attemptLog.length === 0
              ? 'No reply of the mail server was recorded.'
              : 'Earlier replies are no longer kept.'}
          </div>
        </li>
      )}
      {attemptLog.map((attempt) => (
        <AttemptLine key={`${attempt.no} ${attempt.at}`} attempt={attempt} />
      ))}
      {end}
      {nextAttemptAt !== null && attempts > 0 && (
        <li>
          <Time at={nextAttemptAt} />
          <div>Next attempt</div>
        </li>
      )}
      {reports.map((bounce) => (
        <li key={bounce.id}>
          <Time at={bounce.at} />
          <div>
            <BounceType bounce={bounce} />{' '}
            {bounce.cause !== null && <span class="soft">{bounceCauses[bounce.cause]}</span>}
            {bounce.excerpt !== null && <p class="mono smtp-reply">{bounce.excerpt}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}

function AttemptLine({ attempt }: { readonly attempt: Attempt }) {
  const [word, tone] = attemptResults[attempt.result]
  const code = codeOf(attempt)
  return (
    <li>
      <Time at={attempt.at} />
      <div>
        <Badge tone={tone}>{word}</Badge> <span class="soft">Attempt {attempt.no}</span>
        <p class="soft small">{placeOf(attempt)}</p>
        <pre class="mono smtp-reply">
          {code !== '' && <strong>{code} </strong>}
          {attempt.text}
        </pre>
      </div>
    </li>
  )
}
