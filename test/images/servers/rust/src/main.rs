//! An MCP server with the official Rust SDK, on stdio: the tools echo and get-env.
use rmcp::{
    ServiceExt,
    handler::server::wrapper::Parameters,
    schemars, tool, tool_router,
    transport::stdio,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echoed {
    message: String,
}

struct Server;

#[tool_router(server_handler)]
impl Server {
    #[tool(name = "echo", description = "Says what it is told")]
    fn echo(&self, Parameters(Echoed { message }): Parameters<Echoed>) -> String {
        message
    }

    #[tool(name = "get-env", description = "Says its environment")]
    fn get_env(&self) -> String {
        eprintln!("called get-env");
        format!("{:?}", std::env::vars().collect::<Vec<_>>())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
