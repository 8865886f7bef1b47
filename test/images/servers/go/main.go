// An MCP server with the official Go SDK, on stdio: the tools echo and get-env.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoed struct {
	Message string `json:"message"`
}

func text(said string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "go-server", Version: "1.0.0"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Says what it is told"},
		func(_ context.Context, _ *mcp.CallToolRequest, asked echoed) (*mcp.CallToolResult, any, error) {
			return text(asked.Message), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "get-env", Description: "Says its environment"},
		func(_ context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			fmt.Fprintln(os.Stderr, "called get-env")
			return text(fmt.Sprint(os.Environ())), nil, nil
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
