import { ButtonLink } from '../../../design/button.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { Time } from '../../../design/content/time.tsx'
import { Icon } from '../../../design/icon.tsx'
import { projectPath } from '../../../url/use-project.ts'
import { LevelMark } from '../issue-marks.tsx'
import type { Platform } from './snippets.ts'
import type { Arrival } from './use-arrival.ts'

interface ArrivalPanelProps {
  readonly projectId: string
  readonly arrival: Arrival
  readonly platform: Platform
}

/** Whether the event has come, and what to do then. */
export function ArrivalPanel({ projectId, arrival, platform }: ArrivalPanelProps) {
  const { arrived, before } = arrival
  return (
    <Panel title={arrived === undefined ? 'Waiting' : 'It works'}>
      <div class="stack">
        <div role="status" class="setup-status" data-arrived={arrived !== undefined}>
          {arrived === undefined ? (
            <>
              <span class="setup-pulse" aria-hidden="true" />
              <p>
                {before === null || before === undefined
                  ? 'Waiting for the first event. It appears here within a second.'
                  : 'Waiting for the next event.'}
              </p>
            </>
          ) : (
            <>
              <Icon name="check" />
              <p>{before === null ? 'The first event has arrived.' : 'An event has arrived.'}</p>
            </>
          )}
        </div>
        {arrived !== undefined && (
          <div class="setup-event">
            <p>
              <LevelMark level={arrived.level} /> <strong>{arrived.title}</strong>
            </p>
            <p class="small soft">
              <Time at={arrived.received_at} />
              {arrived.environment !== null && ` in ${arrived.environment}`}
              {arrived.release !== null && `, ${arrived.release}`}
            </p>
            {arrived.issue_id !== null && (
              <ButtonLink
                kind="primary"
                href={projectPath(projectId, `issues/${arrived.issue_id}`)}
              >
                Open the issue
              </ButtonLink>
            )}
          </div>
        )}
        {arrived === undefined && before != null && (
          <p class="small soft">
            Latest: {before.title}, <Time at={before.received_at} />.
          </p>
        )}
        {arrival.problem !== undefined && (
          <p class="small field-error">{arrival.problem.message} Trying again.</p>
        )}
        <NextSteps projectId={projectId} platform={platform} isEarly={arrived === undefined} />
      </div>
    </Panel>
  )
}

interface NextStepsProps extends Pick<ArrivalPanelProps, 'projectId' | 'platform'> {
  /** Nothing has arrived: on a narrow screen the snippets come first. */
  readonly isEarly: boolean
}

function NextSteps({ projectId, platform, isEarly }: NextStepsProps) {
  return (
    <div class="setup-next" data-early={isEarly}>
      <h3>Then</h3>
      <ul>
        <li>
          Name the release and the environment where you configure the SDK:
          <code>{platform.naming}</code>
        </li>
        <li>
          <a href={projectPath(projectId, 'alerts')}>Choose when you are alerted</a>
        </li>
        <li>
          <a href="/organization">Invite your team</a>
        </li>
        <li>
          <a href={projectPath(projectId, 'settings')}>Hide private data and filter noise</a>
        </li>
      </ul>
    </div>
  )
}
