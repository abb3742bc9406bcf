/** The login of this tab: who the person is, their organization, and what happens when it ends. */
import { computed, signal } from '@preact/signals'
import { asProblem } from '../http/problem.ts'
import { queryClient } from '../http/query-client.ts'
import { type Reply, request, setRequestHooks } from '../http/request.ts'

export type Me = Reply<'GET /api/v1/me'>

/** Undefined until the first answer, null without a login. */
export const me = signal<Me | null | undefined>(undefined)
/** Set while the person is asked to log in again, above the page they are on. */
export const endedLogin = signal<EndedLogin | undefined>(undefined)
/** The server could not be asked who the person is. */
export const sessionProblem = signal<Error | undefined>(undefined)

/** Viewers read, members also write, owners also manage people and credentials. */
export const canWrite = computed(() => me.value?.role === 'member' || me.value?.role === 'owner')
export const isOwner = computed(() => me.value?.role === 'owner')
/** Owners of the organization that the installation was set up with. */
export const isOperator = computed(() => me.value?.is_operator === true)

interface EndedLogin {
  readonly email: string
  readonly renewed: Promise<void>
  readonly settle: (loggedIn: boolean) => void
}

const retryMs = 5_000
let retryTimer: ReturnType<typeof setTimeout> | undefined

/** Repeated until the server answers, unless this tab knows the person already. */
export async function loadSession(): Promise<void> {
  clearTimeout(retryTimer)
  try {
    me.value = await request('GET /api/v1/me', {})
    sessionProblem.value = undefined
  } catch (error) {
    const problem = asProblem(error)
    if (problem?.isLoginEnded === true) me.value = null
    else sessionProblem.value = error as Error
    if (problem?.mayPass !== true || me.value !== undefined) return
    retryTimer = setTimeout(() => void loadSession(), retryMs)
  }
}

export async function logIn(email: string, password: string): Promise<void> {
  const before = endedLogin.value === undefined ? undefined : me.value
  const body = { email, password, organization_id: before?.organization.id }
  const now = await request('POST /api/v1/login', { body: withoutUndefined(body) })
  // Nothing that one person has read may be shown to another.
  if (before?.id !== now.id) queryClient.clear()
  me.value = now
  endedLogin.value?.settle(true)
  endedLogin.value = undefined
}

export async function logOut(): Promise<void> {
  await request('POST /api/v1/logout', { body: {} } as never)
  dropKeptTexts()
  forget()
}

export async function switchOrganization(id: string): Promise<void> {
  const now = await request('PATCH /api/v1/me', { body: { organization_id: id } })
  queryClient.clear()
  me.value = now
}

/** Shows the login page; what was typed on the page is given up. */
export function giveUpLogin(): void {
  endedLogin.value?.settle(false)
  forget()
}

/** Texts of this tab that are not saved; the next person at this screen must not find them. */
function dropKeptTexts(): void {
  try {
    sessionStorage.clear()
  } catch {
    // Storage is switched off, so it holds nothing.
  }
}

function forget(): void {
  endedLogin.value = undefined
  queryClient.clear()
  me.value = null
}

setRequestHooks({
  csrfToken: () => me.value?.csrf_token,
  renewCsrfToken: loadSession,
  loginEnded: () => {
    if (endedLogin.value === undefined) {
      const { promise, resolve, reject } = withResolvers()
      const settle = (loggedIn: boolean) =>
        loggedIn ? resolve() : reject(new Error('You are logged out.'))
      endedLogin.value = { email: me.value?.email ?? '', renewed: promise, settle }
    }
    return endedLogin.value.renewed
  },
})

function withResolvers() {
  let resolve: () => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<void>((settle, refuse) => {
    resolve = settle
    reject = refuse
  })
  return { promise, resolve, reject }
}

function withoutUndefined<T extends object>(value: T): never {
  return Object.fromEntries(
    Object.entries(value).filter(([, entry]) => entry !== undefined),
  ) as never
}
