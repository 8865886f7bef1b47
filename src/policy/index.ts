/** The room's face: the policy document, and everything that reads, judges, signs and publishes it. */
export { globListSource } from './glob/source.ts';
export { inherit, type Mode, type Switches } from './schema/inherit.ts';
export type { Exec } from './schema/exec.ts';
export type { HttpServers, AppMcp, FullSide, Rules, StdioServers } from './schema/mcp.ts';
export type { Network, NetworkConfig } from './schema/network.ts';
export type { Options } from './schema/options.ts';
export type { Patterns } from './schema/patterns.ts';
export type { Policy } from './schema/policy.ts';
export type { A2a, AppSensor, Gateway, Llm, Runtime } from './schema/sensors.ts';
export { sizeInBytes } from './schema/size.ts';
export { policyDigest } from './parse/digest.ts';
export { inspectPolicy, parsePolicy } from './parse/parse-policy.ts';
export { MAX_POLICY_BYTES } from './parse/bytes.ts';
export { describeProblem, type Problem } from './parse/problem.ts';
export { verifyDetached } from './sign/verify.ts';
export { policyInvalid } from './parse/problem.ts';
export { policyWarnings } from './parse/warnings.ts';
export { policyJsonSchema, SCHEMA_URL } from './schema/json-schema.ts';
export { HASHES, type SigningChoice } from './sign/algorithms.ts';
export { generateKey, KEY_TYPES, type KeyType } from './sign/generate.ts';
export { readPrivateKey } from './sign/pem.ts';
export { signDetached } from './sign/sign.ts';
export { compileA2a, decideA2aCard } from './decide/a2a.ts';
export type { Decision } from './decide/decision.ts';
export { hostEngine } from './decide/host-engine.ts';
export { decideMcpContent } from './decide/mcp-content.ts';
export { type McpSensor } from './decide/mcp-rules.ts';
export { decideMcpHttp, decideMcpStdio } from './decide/mcp-servers.ts';
export { type CompiledMcp, compileMcp, decideMcpName, type McpNameQuery } from './decide/mcp.ts';
export { compileSensorPolicy } from './sensor-file/compile.ts';
export { openStore } from './publish/target.ts';
export { publish } from './publish/publish.ts';
export { compileExec, decideExec } from './decide/exec.ts';
export {
  type CompiledNetwork,
  compileNetwork,
  networkConfig,
  decideEgress,
  decideIngress,
  type Grant,
  type RangeGrant,
} from './decide/network.ts';
export {
  type Address,
  CLOSED_RANGES,
  inRange,
  type NetworkRange,
  parseAddress,
  parseRange,
  within,
} from './decide/address.ts';
export { compileOptions, decideOptions } from './decide/options.ts';
