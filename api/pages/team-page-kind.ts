/** What a page of the team consists of. */
import type { FastifyRequest } from 'fastify'
import type { AccessScope } from '#schemas/rest/access-scope.ts'
import type { Caller } from '../auth/access-token.ts'
import type { ApiContext } from '../context.ts'
import type { StoredLogin } from '../logins/login-store.ts'
import type { Html } from '../portal/page/html.ts'
import type { StoredProject } from '../projects/project-store.ts'

/** A request for a page, of a person who is logged in. */
export interface PageVisit {
  readonly ctx: ApiContext
  readonly request: FastifyRequest
  readonly login: StoredLogin
  readonly caller: Caller
  readonly project: StoredProject
}

/** A form of the page that was refused, which is shown again with what was entered. */
export interface RefusedForm {
  readonly problem: string
  readonly fields: URLSearchParams
}

export type Shown =
  | { readonly kind: 'page'; readonly title: string; readonly main: Html }
  /** The last segment of the path of the page to open instead. */
  | { readonly kind: 'moved'; readonly to: string }

export interface PageKind {
  readonly url: string
  /** The scope that a person needs to see it. */
  readonly scope: AccessScope
  /** The last segment of the path of the page. */
  readonly segment: (request: FastifyRequest) => string
  readonly show: (visit: PageVisit, refused?: RefusedForm) => Promise<Shown>
  /** Runs a form and returns where to go: the name of a confirmation. */
  readonly act?: (visit: PageVisit, fields: URLSearchParams) => Promise<Acted>
}

export interface Acted {
  /** The confirmation to show, as `?done=`. */
  readonly done: string
  /** The last segment of another page, if not the same one. */
  readonly to?: string
}
