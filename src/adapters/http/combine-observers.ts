import type { RequestObserver } from "./middleware/observe-requests.js";

/** Makes one observer of several. */
export function combineObservers(...observers: readonly RequestObserver[]): RequestObserver {
  return {
    requestStarted() {
      for (const observer of observers) observer.requestStarted?.();
    },
    requestFinished(request) {
      for (const observer of observers) observer.requestFinished?.(request);
    },
    requestRefused(request) {
      for (const observer of observers) observer.requestRefused?.(request);
    },
    requestShed() {
      for (const observer of observers) observer.requestShed?.();
    },
    connectionCut(reason) {
      for (const observer of observers) observer.connectionCut?.(reason);
    },
  };
}
