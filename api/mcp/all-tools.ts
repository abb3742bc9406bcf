import type { Tool } from './tool.ts'
import { campaignTools } from './tools/campaign-tools.ts'
import { eventTools } from './tools/event-tools.ts'
import { healthTools } from './tools/health-tools.ts'
import { issueTools } from './tools/issue-tools.ts'
import { portalTools } from './tools/portal-tools.ts'
import { projectTools } from './tools/project-tools.ts'

/** All tools of the MCP endpoint, in the order in which clients list them. */
export const allTools: readonly Tool[] = [
  ...projectTools,
  ...issueTools,
  ...eventTools,
  ...healthTools,
  ...portalTools,
  ...campaignTools,
]
