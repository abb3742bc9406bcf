/** Alert rules of a project. */

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  AlertList,
  AlertPreview,
  AlertPreviewInput,
  AlertRuleChange,
  AlertRuleInput,
  AlertRuleItem,
  RotatedSecret,
  RotateSecretInput,
} from '#schemas/rest/alerts/alert.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { actorOf } from '../auth/people-gate.ts'
import type { ApiContext } from '../context.ts'
import {
  type ApiInstance,
  callerOf,
  found,
  ProjectPath,
  projectOf,
  replies,
  requireUuid,
} from '../http/route.ts'
import { findRule, listRules } from './alert-store.ts'
import { alertViews } from './alert-view.ts'
import { createAlert, type WrittenRule } from './create-alert.ts'
import { deleteAlert } from './delete-alert.ts'
import { previewAlert } from './preview/preview-alert.ts'
import { rotateAlertSecret } from './rotate-alert-secret.ts'
import { updateAlert } from './update-alert.ts'

const tags = ['alerts']
const AlertPath = ProjectPath.extend({ alert_id: z.string() })
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerAlerts(app: ApiInstance, ctx: ApiContext): void {
  const viewsOf = (
    request: FastifyRequest,
    written: { rules: WrittenRule['rule'][] } & Partial<WrittenRule>,
  ) => {
    const { organizationId } = callerOf(request)
    return alertViews(ctx, { project: projectOf(request), organizationId }, written)
  }

  app.route({
    method: 'GET',
    url: '/alerts',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'listAlerts',
      tags,
      summary: 'List the alert rules of a project',
      description: 'Oldest first, on one page. A rule that can never fire has `warnings`.',
      params: ProjectPath,
      response: replies(AlertList),
    },
    handler: async (request) => {
      const rules = await listRules(ctx.pg, projectOf(request).dsnId)
      return { items: await viewsOf(request, { rules }), next_cursor: null }
    },
  })

  app.route({
    method: 'POST',
    url: '/alerts',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'createAlert',
      tags,
      summary: 'Create an alert rule',
      description:
        'A webhook carries its `secret` in this reply only. URLs and tokens are stored sealed.',
      params: ProjectPath,
      body: AlertRuleInput,
      response: { ...errorReplies, 201: AlertRuleItem, 409: Problem },
    },
    handler: async (request, reply) => {
      const input = { project: projectOf(request), rule: request.body }
      const { rule, secrets } = await createAlert(ctx, actorOf(request), input)
      const views = await viewsOf(request, { rules: [rule], secrets })
      reply.code(201)
      return found(views[0])
    },
  })

  app.route({
    method: 'GET',
    url: '/alerts/:alert_id',
    config: { scope: 'issues:read' },
    schema: {
      operationId: 'getAlert',
      tags,
      summary: 'Get an alert rule',
      params: AlertPath,
      response: replies(AlertRuleItem),
    },
    handler: async (request) => {
      const id = requireUuid(request.params.alert_id)
      const rule = found(await findRule(ctx.pg, { projectId: projectOf(request).dsnId, id }))
      return found((await viewsOf(request, { rules: [rule] }))[0])
    },
  })

  app.route({
    method: 'PATCH',
    url: '/alerts/:alert_id',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'updateAlert',
      tags,
      summary: 'Update an alert rule',
      description:
        'A field that is left out keeps its value. `then` replaces all targets: one with its `id` keeps its secrets and every setting that is left out or as shown; one without an `id` is added, and its secret is in this reply only.',
      params: AlertPath,
      body: AlertRuleChange,
      response: replies(AlertRuleItem),
    },
    handler: async (request) => {
      const id = requireUuid(request.params.alert_id)
      const input = { project: projectOf(request), id, change: request.body }
      const { rule, secrets } = await updateAlert(ctx, actorOf(request), input)
      return found((await viewsOf(request, { rules: [rule], secrets }))[0])
    },
  })

  app.route({
    method: 'DELETE',
    url: '/alerts/:alert_id',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'deleteAlert',
      tags,
      summary: 'Delete an alert rule',
      description: 'Its firings and deliveries are deleted, and what waits is not sent.',
      params: AlertPath,
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const id = requireUuid(request.params.alert_id)
      await deleteAlert(ctx, actorOf(request), { project: projectOf(request), id })
      reply.code(204)
      return null
    },
  })

  app.route({
    method: 'POST',
    url: '/alerts/:alert_id/rotate-secret',
    config: { scope: 'settings:write' },
    schema: {
      operationId: 'rotateAlertSecret',
      tags,
      summary: 'Rotate the secret of a webhook of an alert rule',
      description:
        'For 24 hours every request is signed with both secrets. A secret that was replaced before the last one ends at once.',
      params: AlertPath,
      body: RotateSecretInput.nullish(),
      response: { ...replies(RotatedSecret), 409: Problem },
    },
    handler: async (request) => {
      const id = requireUuid(request.params.alert_id)
      const input = { project: projectOf(request), id, targetId: request.body?.target_id }
      return rotateAlertSecret(ctx, actorOf(request), input)
    },
  })

  app.route({
    method: 'POST',
    url: '/alerts/preview',
    config: { scope: 'issues:read', role: 'viewer' },
    schema: {
      operationId: 'previewAlert',
      tags,
      summary: 'Preview an alert rule on the last 7 days',
      description:
        'What the rule would have fired, and its warnings. Nothing is stored or sent. At most 200 firings are returned; `more` says that there were others, or that not all events could be examined.',
      params: ProjectPath,
      body: AlertPreviewInput,
      response: replies(AlertPreview),
    },
    handler: (request) => {
      const { organizationId } = callerOf(request)
      const input = { project: projectOf(request), organizationId, rule: request.body }
      return previewAlert(ctx, input)
    },
  })
}
