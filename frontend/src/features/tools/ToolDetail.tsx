import type { Component, JSX } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { Tool } from "../../host/border.gen";
import { toolKind } from "../../lib/tools";
import { AgentDetail } from "./AgentDetail";
import { EditDetail, NotebookDetail, WriteDetail } from "./ChangeDetail";
import { CommandDetail } from "./CommandDetail";
import { ReadDetail } from "./FileDetail";
import { FindingsDetail } from "./FindingsDetail";
import { OtherDetail, SkillDetail, WorktreeDetail } from "./OtherDetail";
import { ArtifactDetail, ResourceDetail } from "./ResourceDetail";
import { ScheduleDetail } from "./ScheduleDetail";
import { FetchDetail, FilesDetail, WebSearchDetail } from "./SearchDetail";
import { AnswersDetail, PlanDetail, TodoDetail } from "./PlanningDetail";
import "./tool-detail.css";

const views: Record<string, Component<{ tool: Tool }>> = {
  Agent: AgentDetail,
  Artifact: ArtifactDetail,
  AskUserQuestion: AnswersDetail,
  Bash: CommandDetail,
  CronCreate: ScheduleDetail,
  CronList: ScheduleDetail,
  Edit: EditDetail,
  EnterWorktree: WorktreeDetail,
  ExitPlanMode: PlanDetail,
  ExitWorktree: WorktreeDetail,
  Glob: FilesDetail,
  Grep: FilesDetail,
  ListMcpResources: ResourceDetail,
  Monitor: ScheduleDetail,
  MultiEdit: EditDetail,
  NotebookEdit: NotebookDetail,
  Read: ReadDetail,
  ReadMcpResource: ResourceDetail,
  ReadMcpResourceDir: ResourceDetail,
  ReportFindings: FindingsDetail,
  ScheduleWakeup: ScheduleDetail,
  Skill: SkillDetail,
  SlashCommand: SkillDetail,
  TaskCreate: TodoDetail,
  TaskGet: TodoDetail,
  TaskList: TodoDetail,
  TaskUpdate: TodoDetail,
  TodoWrite: TodoDetail,
  WebFetch: FetchDetail,
  WebSearch: WebSearchDetail,
  Write: WriteDetail,
};

/** A tool's input and result, in a view that suits it. */
export function ToolDetail(props: { tool: Tool }): JSX.Element {
  const view = () => {
    const kind = toolKind(props.tool.name);
    return Object.hasOwn(views, kind) ? views[kind] : OtherDetail;
  };
  return (
    <div data-component="tool-detail">
      <Dynamic component={view()} tool={props.tool} />
    </div>
  );
}
