import { useState } from 'preact/hooks'
import { Avatar, Badge } from '../../../../design/content/badge.tsx'
import { countOf } from '../../../../design/content/format.ts'
import { EmptyState, ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { WindowedList } from '../../../../design/content/windowed-list.tsx'
import { SelectField } from '../../../../design/forms/field.tsx'
import { SearchField } from '../../../../design/forms/search-field.tsx'
import { ConfirmDialog } from '../../../../design/overlays/dialog.tsx'
import { Menu, type MenuAction } from '../../../../design/overlays/menu.tsx'
import { editItems } from '../../../../http/edit-cache.ts'
import { request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { type Item, usePages } from '../../../../http/use-pages.ts'
import { canWrite } from '../../../../session/session.ts'
import { projectPath } from '../../../../url/use-project.ts'
import { useSearchParams } from '../../../../url/use-search-params.ts'
import { nameOfUser } from '../../common/idea.ts'

const usersList = 'GET /api/v1/admin/portal/{project_id}/endusers' as const
type PortalUser = Item<typeof usersList>

/** The users of the portal: find one, trust, block or erase. */
export function PortalUsers({ projectId }: { readonly projectId: string }) {
  const { get, set } = useSearchParams()
  const [erasing, setErasing] = useState<PortalUser>()
  const search = (get('search') ?? '').slice(0, 200)
  const wanted = get('blocked')
  const blocked = wanted === 'true' || wanted === 'false' ? wanted : undefined
  const params = { project_id: projectId }
  const pages = usePages(
    usersList,
    {
      params,
      query: { limit: 50, search: search.trim(), ...(blocked === undefined ? {} : { blocked }) },
    },
    { topics: ['ideas', 'moderation'], keepPrevious: true },
  )
  const change = (
    user: PortalUser,
    body: { trusted?: boolean; blocked?: boolean },
    done: string,
  ) => {
    const send = (wanted: { trusted?: boolean; blocked?: boolean }) =>
      request('PATCH /api/v1/admin/portal/{project_id}/endusers/{user_id}', {
        params: { ...params, user_id: user.id },
        body: wanted,
      })
    const before = {
      ...(body.trusted === undefined ? {} : { trusted: user.trusted }),
      ...(body.blocked === undefined ? {} : { blocked: user.blocked_at !== null }),
    }
    void runChange({
      send: () => send(body),
      apply: () =>
        editItems(usersList, (item) =>
          item.id === user.id
            ? {
                ...item,
                trusted: body.trusted ?? item.trusted,
                blocked_at:
                  body.blocked === undefined
                    ? item.blocked_at
                    : body.blocked
                      ? new Date().toISOString()
                      : null,
              }
            : item,
        ),
      done,
      undo: () => send(before),
      refetch: [usersList],
    })
  }
  return (
    <>
      <div class="row">
        <SearchField
          label="Search name, email or id"
          value={search}
          onText={(text) => set({ search: text }, 'replace')}
        />
        <SelectField
          label="State"
          hideLabel
          value={blocked ?? ''}
          choices={[
            { value: '', label: 'All users' },
            { value: 'false', label: 'Not blocked' },
            { value: 'true', label: 'Blocked' },
          ]}
          onValue={(value) => set({ blocked: value })}
        />
      </div>
      {pages.problem !== undefined && pages.items.length === 0 && (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      )}
      {pages.isLoading && <Skeleton />}
      {!pages.isLoading && pages.problem === undefined && pages.items.length === 0 && (
        <EmptyState
          icon="people"
          title={search === '' && blocked === undefined ? 'No users yet' : 'No user matches'}
        >
          <p>Everybody who votes, suggests or comments is listed here.</p>
        </EmptyState>
      )}
      <WindowedList
        label="Portal users"
        items={pages.items}
        keyOf={({ id }) => id}
        rowHeight={52}
        current={get('at')}
        onCurrent={(at) => set({ at }, 'replace')}
        onEnd={pages.loadMore}
        renderRow={(user) => (
          <UserRow
            projectId={projectId}
            user={user}
            onChange={(body, done) => change(user, body, done)}
            onErase={() => setErasing(user)}
          />
        )}
      />
      {erasing !== undefined && (
        <ConfirmDialog
          title={`Erase ${nameOfUser(erasing)}`}
          confirm="Erase the user"
          danger
          typed={erasing.enduser_id}
          onClose={() => setErasing(undefined)}
          onConfirm={() =>
            runChange({
              send: () =>
                request('DELETE /api/v1/admin/portal/{project_id}/endusers/{user_id}', {
                  params: { ...params, user_id: erasing.id },
                }),
              done: 'Erased the user.',
              refetch: [usersList],
            })
          }
        >
          <p>
            The id, name and address of the user are erased. {countOf(erasing.idea_count, 'idea')},{' '}
            {countOf(erasing.comment_count, 'comment')} and {countOf(erasing.vote_count, 'vote')}{' '}
            stay without an author. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

interface UserRowProps {
  readonly projectId: string
  readonly user: PortalUser
  readonly onChange: (body: { trusted?: boolean; blocked?: boolean }, done: string) => void
  readonly onErase: () => void
}

/** The address, or the id below an address. */
function secondName({ email, enduser_id }: PortalUser, name: string): string {
  if (email !== null && email !== name) return email
  return name === enduser_id ? 'No address' : enduser_id
}

function UserRow({ projectId, user, onChange, onErase }: UserRowProps) {
  const name = nameOfUser(user)
  const isBlocked = user.blocked_at !== null
  const person = encodeURIComponent(user.enduser_id)
  const actions: readonly MenuAction[] = [
    {
      label: user.trusted ? 'Stop trusting' : 'Trust',
      icon: 'check',
      run: () =>
        onChange(
          { trusted: !user.trusted },
          user.trusted ? `${name} is moderated again.` : `${name} is trusted.`,
        ),
    },
    {
      label: isBlocked ? 'Unblock' : 'Block',
      icon: 'stop',
      run: () =>
        onChange(
          { blocked: !isBlocked },
          isBlocked ? `${name} can write again.` : `${name} can no longer write.`,
        ),
    },
    { label: 'Erase', icon: 'trash', danger: true, run: onErase },
  ]
  return (
    <div class="portal-user">
      <Avatar name={name} size={24} />
      <div class="portal-user-name">
        <span>
          <bdi>{name}</bdi> {user.trusted && <Badge tone="success">Trusted</Badge>}
          {isBlocked && <Badge tone="danger">Blocked</Badge>}
        </span>
        <span class="soft small truncate">
          {secondName(user, name)}
          {user.email_source === 'typed' && ' (unconfirmed)'}
        </span>
      </div>
      <span class="portal-user-counts soft small">
        {countOf(user.idea_count, 'idea')} · {countOf(user.vote_count, 'vote')} ·{' '}
        {user.comment_count === 0 ? (
          countOf(0, 'comment')
        ) : (
          <a href={projectPath(projectId, `ideas/comments?author=${user.id}`)}>
            {countOf(user.comment_count, 'comment')}
          </a>
        )}
      </span>
      <a class="small portal-user-link" href={projectPath(projectId, `feedback?person=${person}`)}>
        Feedback
      </a>
      <span class="soft small portal-user-time">
        <Time at={user.last_seen_at} />
      </span>
      {canWrite.value && (
        <Menu
          label={`Actions for ${name}`}
          icon="more"
          hideLabel
          kind="quiet"
          size="s"
          actions={actions}
        />
      )}
    </div>
  )
}
