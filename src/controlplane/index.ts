/** The room's face: what the command line of `ucpd` uses. */
export { systemClock } from './clock.ts';
export { type ConfigAccess, type LoadedConfig, loadConfig } from './config/load-config.ts';
export { startDaemon } from './daemon.ts';
export { type InstanceLock, takeInstanceLock } from './server/instance-lock.ts';
export { openStateDir } from './state/owner.ts';
export { serviceManager, systemdNotify } from './service/notify.ts';
